import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkout } from '@tenantscope/local';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';

/** The lines of a block of commands in a page of the operations manual, fenced as "sh acls". */
export async function readCommands(page: string): Promise<string[]> {
  const text = await readFile(join(checkout, 'docs', 'operations', page), 'utf8');
  const block = /^```sh acls\n(.*?)^```/ms.exec(text)?.[1];
  if (block === undefined) throw new Error(`${page} has no block of ACLs`);
  return block.trim().split('\n');
}

/** The ACLs of the manual, as its commands would create them. */
export async function readDocumentedAcls() {
  return (await readCommands('kafka-acls.md')).flatMap(parseAclCommand);
}

function parseAclCommand(command: string) {
  const [program, ...args] = command.split(' ');
  if (program !== 'kafka-acls.sh') throw new Error(`not a command of ACLs: ${command}`);
  const { values } = parseArgs({
    args,
    options: {
      add: { type: 'boolean' },
      'allow-principal': { type: 'string' },
      'deny-principal': { type: 'string' },
      operation: { type: 'string', multiple: true },
      'resource-pattern-type': { type: 'string', default: 'literal' },
      topic: { type: 'string' },
      group: { type: 'string' },
    },
  });
  const resource =
    values.topic === undefined
      ? { resourceType: AclResourceTypes.GROUP, resourceName: values.group ?? '' }
      : { resourceType: AclResourceTypes.TOPIC, resourceName: values.topic };
  return (values.operation ?? []).map((operation) => ({
    ...resource,
    resourcePatternType:
      values['resource-pattern-type'] === 'prefixed' ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
    principal: values['allow-principal'] ?? values['deny-principal'] ?? '',
    host: '*',
    operation:
      AclOperationTypes[operation.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase() as keyof typeof AclOperationTypes],
    permissionType: values['deny-principal'] === undefined ? AclPermissionTypes.ALLOW : AclPermissionTypes.DENY,
  }));
}

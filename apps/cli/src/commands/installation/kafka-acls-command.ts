import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { OptionalUse } from './kafka-rights.ts';

export function declareKafkaAclsCommand(program: Command, run: Run): void {
  declareCommand(program, 'kafka-acls', 'show the rights that each process needs in Kafka')
    .option('--apply', 'create them, with the login of a superuser')
    .option('--canary', 'with the right of jobs to write records of the canary')
    .option(
      '--bound-topic <topic...>',
      'with the rights of ingest to read topics of source bindings, and of operators to read their settings',
    )
    .option('--wait <seconds>', 'seconds to wait until the cluster is reachable', '0')
    .action((options: { apply?: boolean; wait: string } & OptionalUse & JsonOption) =>
      run(async (context) => (await import('./kafka-acls.ts')).showKafkaAcls(options, context), options),
    );
}

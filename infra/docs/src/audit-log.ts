import { adminEvent } from '@tenantscope/store/console';
import { z } from 'zod';
import { table } from './markdown-table.ts';

interface Member {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly { readonly type: string }[];
}

/** docs/operations/audit-log.md. */
export function renderAuditLog(): string {
  const { properties = {} } = z.toJSONSchema(adminEvent, { unrepresentable: 'any' });
  const rows = Object.entries(properties as Record<string, Member>).map(([name, { type, anyOf, description = '' }]) => [
    `\`${name}\``,
    (type === undefined ? undefined : [type].flat().join(' or ')) ??
      anyOf?.map((one) => one.type).join(' or ') ??
      'object or null',
    description,
  ]);
  return `${[introduction, table(['Member', 'Type', 'Meaning'], rows), notes].join('\n\n')}\n`;
}

const introduction = `# Audit log

Every change by an administrator is an event in the chain of its organization, written in the transaction of the change ([how](../architecture/audit.md)). \`tenantscope audit list --json\` returns events newest first; the export of the console has one a line, oldest first, with the member \`chain\`. Both add \`actorName\` and \`accountName\`, the names of these accounts today, which no digest covers. This page is generated from the schema that every event is checked against when it is read.`;

const notes = `| Actor | Who |
| --- | --- |
| \`member:ID\` | a member in the console |
| \`sign-in:SOURCE\`, \`set-up\` | a user who signs in, or uses a set-up link |
| \`cli:USER\` | an operator at the command line |
| \`ingest:PROCESS\`, \`jobs:PROCESS\` | a process, for a record that arrived or a request that it executed |
| \`database:LOGIN\` | a statement of another login of the database |

| Action | Meaning |
| --- | --- |
| \`created\`, \`changed\`, \`removed\` | a row changed; \`before\` and \`after\` have it |
| \`signed in\`, \`signed out\`, \`sign-in failed\`, \`ended\` | sessions of the console |
| \`tried\`, \`replayed\`, \`discarded\` | decisions about dead letters |
| \`ran\`, \`downloaded\`, \`opened\`, \`exported\` | use of the playground, documents, dead letters and the log itself |
| \`restored\` | the database was restored from a backup; \`after\` has the operator and what [restore finish](backup.md#restore) applied |

Members and values may be added. \`tenantscope audit verify\` recomputes the chain; a SIEM that stores the newest \`sha256\` notices that a chain was replaced. Events are never deleted, also not with the data of an [offboarded tenant](tenants.md#offboard).

Requests to the API are in the [access log](access-log.md).`;

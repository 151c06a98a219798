import { accessLogEntry } from '@tenantscope/api/access-log';
import { z } from 'zod';
import { table } from './markdown-table.ts';

interface Member {
  readonly description: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly { readonly type: string }[];
}

/** docs/operations/access-log.md. */
export function renderAccessLog(): string {
  const { properties = {} } = z.toJSONSchema(accessLogEntry);
  const rows = Object.entries(properties as Record<string, Member>).map(([name, { type, anyOf = [], description }]) => [
    `\`${name}\``,
    (type === undefined ? anyOf.map((one) => one.type) : [type].flat()).join(' or '),
    description,
  ]);
  return `${[introduction, table(['Member', 'Type', 'Meaning'], rows), notes].join('\n\n')}\n`;
}

const introduction = `# Access log of the API

With \`TENANTSCOPE_ACCESS_LOG=on\` the API writes a line for each request to standard output: JSON with \`msg\` "request completed" and these members. Each line also has \`level\`, \`time\` (ms), \`name\`, \`pid\` and \`hostname\`. This page is generated from the schema; a test validates lines against it.`;

const notes = `URLs are not logged, since filters contain names of users. Keys are not logged: \`keyId\` is the id that \`tenantscope key list\` shows. A request that the HTTP parser refuses has no line.

A request or a tool call to which a key is not entitled (403) is also a line without the setting: \`msg\` is "request refused; not permitted to the key", with \`keyId\`, \`code\`, \`operation\` and \`address\`.

The log contains addresses of clients, which are personal data: retain it accordingly.

Changes by administrators are in the audit log, which is a chain in the database: \`tenantscope audit list\`.`;

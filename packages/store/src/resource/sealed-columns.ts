import { lineMembers } from '@tenantscope/contract';

/** The columns of models.audit_log that sealed blocks have as arrays, in the order of the rows. */
const rowColumns = [
  'id', 'discovered_at', 'occurred_at', 'severity', 'action', 'actor_id', 'actor_type', 'actor_ip', 'resource_id', 'resource_type',
  'workload', 'source_type', 'client_app', 'device_id', 'is_managed_device', 'application_id', 'external_event_id', 'outcome',
  'error_code', 'session_id', 'correlation_id', 'actor_user_id', 'target_ids',
] as const; // biome-ignore format: a list of names

type LineMember = (typeof lineMembers)[number];

/** SQL: the JSON text of a member of the row, null for null. */
export const memberText = (alias: string, member: LineMember): string =>
  `nullif(split_part(${alias}.member_lines, e'\\n', ${lineMembers.indexOf(member) + 1}), '')`;

/** SQL: of its location. A quotation mark inside of a text follows a backslash, so that this is the member, wherever it is in the line. */
export const countryText = (alias: string): string =>
  `substring(${memberText(alias, 'location')} from '"country":("(?:[^"\\\\]|\\\\.)*")')`;

/** JSON texts that readers take from the lines of other rows. */
const texts: Readonly<Record<string, (alias: string) => string>> = {
  action_text: (alias) => memberText(alias, 'action'),
  description: (alias) => memberText(alias, 'description'),
  country: countryText,
  application_client_id: (alias) => memberText(alias, 'applicationClientId'),
};

export const sealedColumns: readonly string[] = [...rowColumns, ...Object.keys(texts)];

/** The types of the elements of their arrays, as PostgreSQL numbers them; the others are texts. */
const elementOids: Readonly<Record<string, number>> = {
  id: 2950, discovered_at: 1184, occurred_at: 1184, is_managed_device: 16,
}; // biome-ignore format: a table
const textOid = 25;
export const sealedElementOid = (column: string): number => elementOids[column] ?? textOid;

/** SQL: the value that a sealed block has of a row of the log. Arrays of arrays are rectangular, so each array is stored as its text. */
export function sealedValue(alias: string, column: string): string {
  if (column === 'target_ids') return `${alias}.target_ids::text`;
  return texts[column]?.(alias) ?? `${alias}.${column}`;
}

/**
 * SQL: the rows of a sealed block with their numbers from 1, `ordinal`, to be named `log`.
 *
 * @param usedIn expressions over `log`: PostgreSQL decompresses only the columns that they name
 */
export function selectSealedRows(block: string, usedIn: string): string {
  const names = sealedColumns.filter((name) => name === 'id' || usedIn.includes(`log.${name}`));
  const read = names.map((name) => (name === 'target_ids' ? 'r.target_ids::text[]' : `r.${name}`));
  return (
    `(select ${read.join(', ')}, r.ordinal from unnest(${names.map((name) => `${block}.${name}`).join(', ')})` +
    ` with ordinality r (${names.join(', ')}, ordinal))`
  );
}

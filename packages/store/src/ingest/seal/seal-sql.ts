import { documentColumns } from '../../read/log/log-document.ts';
import { timestampLiteral } from '../../read/record-page.ts';
import { sealedColumns, sealedValue } from '../../resource/sealed-columns.ts';

/** A row of models.log_block. */
export interface BlockKey {
  readonly first_ms: number;
  readonly first_id: string;
  readonly last_ms: number;
  readonly last_id: string;
  readonly rows: number;
}

const documentFields = documentColumns.split(', ');
const others = sealedColumns.filter((column) => !documentFields.includes(column));

/** How many fields `selectRows` gives of a row, and which of them each sealed column is. */
export const rowFields: number = documentFields.length + others.length;
export const sealedFields: readonly number[] = sealedColumns.map((column) =>
  [...documentFields, ...others].indexOf(column),
);

/** The rows from the first one of a block to the last one of a block: what their documents are written from, then the other sealed columns. */
export function selectRows(partition: string, tenantId: string, first: BlockKey, last: BlockKey): string {
  const [from, to] = [timestampLiteral(first.first_ms), timestampLiteral(last.last_ms)];
  return (
    `select ${[...documentFields.map((column) => `l.${column}`), ...others.map((column) => sealedValue('l', column))].join(', ')}` +
    ` from models.${partition} l where l.tenant_id = '${tenantId}' and l.discovered_at between ${from} and ${to}` +
    ` and (l.discovered_at, l.id) between (${from}, '${first.first_id}') and (${to}, '${last.last_id}') order by l.discovered_at, l.id`
  );
}

/** The columns of a sealed row, in the order in which they are written and read back. */
export const blockColumns: readonly string[] = [
  ...['tenant_id', 'first_at', 'first_id', 'last_at', 'last_id', 'row_count', 'member_count'],
  ...sealedColumns,
  ...['documents', 'document_parts', 'document_ends'],
];

/** Of the parent table row-level security would not allow COPY. */
const sealedName = (partition: string): string => partition.replace('audit_log_', 'log_sealed_');

export const insertBlocks = (partition: string): string =>
  `copy models.${sealedName(partition)} (${blockColumns.join(', ')}) from stdin (format binary)`;

/** The sealed blocks from one to another. */
export const selectBlocks = (partition: string, tenantId: string, first: BlockKey, last: BlockKey): string =>
  `select ${blockColumns.join(', ')} from models.${sealedName(partition)} where tenant_id = '${tenantId}'` +
  ` and (first_at, first_id) between (${timestampLiteral(first.first_ms)}, '${first.first_id}')` +
  ` and (${timestampLiteral(last.first_ms)}, '${last.first_id}') order by first_at, first_id`;

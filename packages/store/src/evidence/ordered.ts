import type pg from 'pg';

/** What a section of an evidence pack is read with: one moment of the database, one tenant, one window. */
export interface EvidenceReading {
  /** Inside one repeatable-read transaction with the tenant set for row-level security. */
  readonly client: pg.ClientBase;
  readonly tenantId: string;
  /** The window, closed at both ends, epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Rows of the log count while they were discovered at or before it. */
  readonly knownThroughMs: number;
}

/** The last row served: its values in the section's order. */
export type EvidencePosition = readonly (string | number | boolean | null)[];

export interface EvidencePage {
  readonly after: EvidencePosition | null;
  readonly limit: number;
}

/** A term of a total order. Text sorts by bytes and nulls come last, in either direction. */
export interface OrderTerm {
  /** A column of the query that is ordered; of a time with milliseconds, as rows show it, or a page would not end where its last row stands. */
  readonly column: string;
  readonly type: 'text' | 'timestamptz(3)' | 'bigint' | 'double precision' | 'boolean';
  readonly descending?: true;
}

export interface OrderedRows<Row> {
  readonly rows: readonly Row[];
  /** Rows after the position, those beyond the limit included. */
  readonly totalRowCount: number;
}

/**
 * The rows of a query after a position, by keyset, in a total order. `query` is a select whose parameters are `$1` tenant, `$2` and `$3` the
 * window, `$4` known through, all of them always given, then `values`.
 */
export async function readOrdered<Row extends pg.QueryResultRow>(
  reading: EvidenceReading,
  query: string,
  order: readonly OrderTerm[],
  page: EvidencePage,
  values: readonly unknown[] = [],
): Promise<OrderedRows<Row>> {
  const given = [...windowValues(reading), ...values];
  const beyond = page.after ? ` where ${after(order, given.length)}` : '';
  const position = (page.after ?? []).map((value) => (value === null ? null : String(value)));
  // Every parameter has a type, also those a query does not mention.
  const from = `from (select $1::uuid, $2::timestamptz, $3::timestamptz, $4::timestamptz) given, lateral (${query}) f${beyond}`;
  const { rows } = await reading.client.query<Row>(
    `select f.* ${from} order by ${order.map(orderTerm).join(', ')} limit ${page.limit + 1}`,
    [...given, ...position],
  );
  if (rows.length <= page.limit) return { rows, totalRowCount: rows.length };
  const counted = await reading.client.query<{ total: string }>(`select count(*) as total ${from}`, [
    ...given,
    ...position,
  ]);
  return { rows: rows.slice(0, page.limit), totalRowCount: Number(counted.rows[0]?.total) };
}

/** `$1` to `$4` of every query of a section. */
export const windowValues = ({ tenantId, fromMs, toMs, knownThroughMs }: EvidenceReading): unknown[] => [
  tenantId,
  new Date(fromMs).toISOString(),
  new Date(toMs).toISOString(),
  new Date(knownThroughMs).toISOString(),
];

const orderedValue = ({ column, type }: OrderTerm): string =>
  type === 'text' ? `f.${column} collate "C"` : `f.${column}`;

const orderTerm = (term: OrderTerm): string => `${orderedValue(term)} ${term.descending ? 'desc' : 'asc'} nulls last`;

/** Later in the order than the position: beyond it in one term, and equal to it in all before. */
function after(order: readonly OrderTerm[], before: number): string {
  const [alternatives] = order.reduce<[string[], string[]]>(
    ([found, equal], term, index) => {
      const value = orderedValue(term);
      const bound = `$${before + index + 1}::text::${term.type}`;
      const beyond = `(${bound} is not null and (${value} ${term.descending ? '<' : '>'} ${bound} or ${value} is null))`;
      return [
        [...found, [...equal, beyond].join(' and ')],
        [...equal, `${value} is not distinct from ${bound}`],
      ];
    },
    [[], []],
  );
  return `(${alternatives.join(' or ')})`;
}

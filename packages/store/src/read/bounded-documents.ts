export interface DocumentOrder {
  /** The columns of `r` that order the rows: a time and the id. */
  readonly columns: readonly [time: string, id: string];
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  /** Documents are together at most this long, but for the first. */
  readonly maxBytes: number;
}

/**
 * SQL: the rows in their order and one more than the limit, without the documents that exceed the bound. Lengths are known without fetching the texts, so
 * only documents that fit are read.
 * @param rows the table as `r`, and the conditions
 */
export function boundedDocuments(rows: string, { columns, direction, limit, maxBytes }: DocumentOrder): string {
  const [time, id] = columns;
  const order = (alias: string) => `order by ${alias}.${time} ${direction}, ${alias}.${id} ${direction}`;
  return (
    `select case when p.place = 1 or p.bytes <= ${maxBytes} then p.document end as document, (extract(epoch from p.${time}) * 1000)::float8 as at_ms, p.${id}` +
    ` from (select r.document, r.${time}, r.${id}, row_number() over page as place, sum(octet_length(r.document)) over page as bytes` +
    ` from ${rows} window page as (${order('r')} rows unbounded preceding) ${order('r')} limit ${Math.trunc(limit) + 1}) p ${order('p')}`
  );
}

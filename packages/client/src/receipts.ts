import { createHash, type Hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AuditLogEvent, LogReceipt, LogReceiptHour } from './operations.ts';
import type { CallOptions, TypedClient } from './typed-client.ts';

export interface Difference {
  /** Of a row; `unnamed` of an hour whose rows the service no longer has; `receipt` of a day. */
  readonly kind: 'removed' | 'altered' | 'added' | 'unnamed' | 'receipt';
  readonly hour: string;
  readonly id: string | null;
}

export interface Verification {
  /** Rows of the receipts that were compared. */
  readonly rows: number;
  readonly differences: readonly Difference[];
  /** Rows with other members than those of their receipt: their ids alone are compared. */
  readonly uncompared: number;
}

export interface VerifyReceiptsOptions extends CallOptions {
  /** The first hour that was stored. Default: the hour of the first row. */
  readonly start?: string;
}

type Lines = AsyncIterable<string> | Iterable<string>;
type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly discoveredAt: string };
type Expected = LogReceiptHour & Pick<LogReceipt, 'layout'>;

const hourLength = '2026-11-01T00'.length;
const dayLength = '2026-11-01'.length;
const hoursAtOnce = 24;

/**
 * Finds the stored rows that differ from those of the complete days.
 *
 * @param readLines the stored rows, a JSON text each, in any order and possibly repeated; called again for hours that differ
 */
export async function verifyReceipts(
  client: TypedClient,
  readLines: () => Lines,
  { start, ...options }: VerifyReceiptsOptions = {},
): Promise<Verification> {
  const hours = await digestHours(readLines());
  const first = start?.slice(0, hourLength) ?? [...hours.keys()].toSorted()[0];
  if (first === undefined) throw new Error('There is no row. Give start, the first hour that was stored.');
  const receipts = await client.call('listLogReceipts', { from: `${first}:00:00Z` }, options);
  const differences = findBrokenReceipts(receipts);
  const expected = new Map<string, Expected>();
  for (const { hours, layout } of receipts)
    for (const hour of hours) expected.set(hour.hour.slice(0, hourLength), { ...hour, layout });
  const days = new Set(receipts.map(({ day }) => day));
  const compared = [...new Set([...expected.keys(), ...hours.keys()])]
    .filter((hour) => hour >= first && days.has(hour.slice(0, dayLength)))
    .toSorted();
  const differing = compared.filter((hour) => !isEqual(hours.get(hour), expected.get(hour)));
  let uncompared = 0;
  for (let at = 0; at < differing.length; at += hoursAtOnce) {
    const group = await readStored(readLines(), differing.slice(at, at + hoursAtOnce));
    for (const [hour, stored] of group) {
      const should = expected.get(hour);
      const own = should === undefined ? new Map<string, Row>() : await readHour(client, hour, options);
      const found = should && !hasIds(own, should) ? null : compareRows(hour, stored, own, should);
      differences.push(...(found?.differences ?? [{ kind: 'unnamed' as const, hour, id: null }]));
      uncompared += found?.uncompared ?? 0;
    }
  }
  const rows = compared.reduce((sum, hour) => sum + (expected.get(hour)?.rowCount ?? 0), 0);
  return { rows, differences, uncompared };
}

interface HourDigests {
  count: number;
  readonly ids: Hash;
  readonly rows: Hash;
}

async function digestHours(lines: Lines): Promise<ReadonlyMap<string, HourDigests>> {
  const hours = new Map<string, HourDigests>();
  for await (const [row, line] of parseRows(lines)) {
    const key = row.discoveredAt.slice(0, hourLength);
    const hour = hours.get(key) ?? { count: 0, ids: createHash('sha256'), rows: createHash('sha256') };
    hours.set(key, hour);
    hour.count += 1;
    hour.ids.update(`${row.id}\n`);
    hour.rows.update(`${line}\n`);
  }
  return hours;
}

/** The last line of a page has the pagination alone. */
async function* parseRows(lines: Lines): AsyncGenerator<readonly [Row, string]> {
  for await (const line of lines) {
    if (line === '') continue;
    const row = JSON.parse(line) as Row;
    if (typeof row.id === 'string') yield [row, line];
  }
}

const isEqual = (own: HourDigests | undefined, expected: Expected | undefined): boolean =>
  own !== undefined &&
  own.count === expected?.rowCount &&
  own.ids.digest('hex') === expected.idsSha256 &&
  own.rows.digest('hex') === expected.rowsSha256;

function findBrokenReceipts(receipts: readonly LogReceipt[]): Difference[] {
  return receipts
    .filter((receipt, index) => {
      const { sha256, ...content } = receipt;
      const previous = receipts[index - 1];
      return digest(canonicalText(content)) !== sha256 || (previous && receipt.previousSha256 !== previous.sha256);
    })
    .map(({ day }) => ({ kind: 'receipt', hour: day, id: null }));
}

/** RFC 8785 text of a receipt, whose names are ASCII and whose numbers are integers. */
const canonicalText = (value: object): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member !== 'object' || member === null || Array.isArray(member)
      ? member
      : Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1))),
  );

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A stored row, and whether it is stored again with another content. */
interface StoredRow {
  readonly row: Row;
  contradicted: boolean;
}

async function readStored(lines: Lines, hours: readonly string[]) {
  const stored = new Map(hours.map((hour) => [hour, new Map<string, StoredRow>()]));
  for await (const [row] of parseRows(lines)) {
    const rows = stored.get(row.discoveredAt.slice(0, hourLength));
    const before = rows?.get(row.id);
    if (before) before.contradicted ||= !isDeepStrictEqual(before.row, row);
    else rows?.set(row.id, { row, contradicted: false });
  }
  return stored;
}

async function readHour(client: TypedClient, hour: string, options: CallOptions): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  const window = { discoveredFrom: `${hour}:00:00.000Z`, discoveredTo: `${hour}:59:59.999Z` };
  let page = await client.call('listLogs', { ...window, sort: 'discoveredAtAsc', limit: 1_000 }, options);
  for (;;) {
    for (const row of page.rows) rows.set(row.id, row as AuditLogEvent & Row);
    if (page.pagination.nextCursor === null) return rows;
    page = await client.call('listLogs', { cursor: page.pagination.nextCursor }, options);
  }
}

/** The rows that the service returns are those of the receipt if their ids are. */
const hasIds = (own: ReadonlyMap<string, Row>, { rowCount, idsSha256 }: Expected): boolean =>
  own.size === rowCount && digest([...own.keys()].map((id) => `${id}\n`).join('')) === idsSha256;

function compareRows(
  hour: string,
  stored: ReadonlyMap<string, StoredRow>,
  own: ReadonlyMap<string, Row>,
  expected: Expected | undefined,
): { differences: Difference[]; uncompared: number } {
  const missing = [...own.keys()].filter((id) => !stored.has(id));
  const differences: Difference[] = missing.map((id) => ({ kind: 'removed', hour, id }));
  let uncompared = 0;
  for (const [id, { row, contradicted }] of stored) {
    const served = own.get(id);
    const outcome = served ? compareRow(row, served, expected?.layout ?? null) : 'added';
    if (contradicted || outcome === 'altered') differences.push({ kind: 'altered', hour, id });
    else if (outcome === 'added') differences.push({ kind: 'added', hour, id });
    else if (outcome === 'uncompared') uncompared += 1;
  }
  return { differences, uncompared };
}

/** A row with the members of its receipt is compared by these: the service may send further ones since. */
function compareRow(row: Row, served: Row, layout: string | null): 'equal' | 'altered' | 'uncompared' {
  if (isDeepStrictEqual(row, served)) return 'equal';
  const names = Object.keys(row);
  const hasSameNames = names.length === Object.keys(served).length && names.every((name) => name in served);
  if (hasSameNames) return 'altered';
  if (digest(names.join()) !== layout) return 'uncompared';
  const comparable = Object.fromEntries(names.map((name) => [name, served[name] ?? null]));
  return isDeepStrictEqual(row, comparable) ? 'equal' : 'altered';
}

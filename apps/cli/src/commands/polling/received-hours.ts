import { createHash, type Hash, hash } from 'node:crypto';
import { CommandError } from '../../command-error.ts';
import { readLines } from '../../input/record/line-reader.ts';

/** What a file has of one hour of discoveredAt. */
export interface ReceivedHour {
  rowCount: number;
  readonly ids: Hash;
  readonly rows: Hash;
  /** The names of the members of its first row. */
  readonly members: readonly string[];
}

export interface ReceivedRows {
  /** By the beginning of the hour, such as 2026-11-01T00. */
  readonly hours: ReadonlyMap<string, ReceivedHour>;
  /** Rows that were written again after an interruption. */
  readonly repeated: number;
  /** Rows of other tenants. */
  readonly others: number;
  /** The first line whose row is before the row of an earlier line. */
  readonly disorderedLine: number | null;
}

const lineMaxBytes = 67_108_864;
/** A receiver that was interrupted has at most a page again. */
const rememberedRows = 10_000;
const hourLength = '2026-11-01T00'.length;

interface Row {
  readonly id: string;
  readonly discoveredAt: string;
  readonly tenantId: string;
}

/** Reads rows of a tenant in the order of the file; lines with the pagination of a page are left out. Throws CommandError for any other line. */
export async function readReceivedRows(
  content: AsyncIterable<Buffer>,
  tenantId: string,
  name: string,
): Promise<ReceivedRows> {
  const hours = new Map<string, ReceivedHour>();
  const recent = new Map<string, string>();
  let [repeated, others, last] = [0, 0, ''];
  let disorderedLine: number | null = null;
  for await (const { number, bytes } of readLines(content, lineMaxBytes)) {
    if (bytes?.length === 0) continue;
    const row = bytes && parseRow(bytes);
    if (row === 'pagination') continue;
    if (row === null) throw new CommandError(`${name}: line ${number} is not a row of the log`);
    if (row.tenantId !== tenantId) {
      others += 1;
      continue;
    }
    const digest = hash('sha256', bytes as Buffer);
    if (recent.get(row.id) === digest) {
      repeated += 1;
      continue;
    }
    remember(recent, row.id, digest);
    const position = `${row.discoveredAt} ${row.id}`;
    if (position < last) disorderedLine ??= number;
    last = position;
    add(hours, row, bytes as Buffer);
  }
  return { hours, repeated, others, disorderedLine };
}

function parseRow(bytes: Buffer): Row | 'pagination' | null {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { id, discoveredAt, tenantId, pagination } = value as Record<string, unknown>;
  if (id === undefined && typeof pagination === 'object') return 'pagination';
  const isRow = typeof id === 'string' && typeof discoveredAt === 'string' && typeof tenantId === 'string';
  return isRow ? (value as Row) : null;
}

function remember(recent: Map<string, string>, id: string, digest: string): void {
  recent.set(id, digest);
  if (recent.size <= rememberedRows) return;
  const [oldest] = recent.keys();
  if (oldest !== undefined) recent.delete(oldest);
}

function add(hours: Map<string, ReceivedHour>, row: Row, bytes: Buffer): void {
  const key = row.discoveredAt.slice(0, hourLength);
  const hour = hours.get(key) ?? {
    rowCount: 0,
    ids: createHash('sha256'),
    rows: createHash('sha256'),
    members: Object.keys(row),
  };
  hours.set(key, hour);
  hour.rowCount += 1;
  hour.ids.update(`${row.id}\n`);
  hour.rows.update(bytes).update('\n');
}

import { type AuditLogEvent, type SummaryKey, summaryKeysMax, summaryRowsMax } from '@tenantscope/contract';
import { writeLogBlocks } from '@tenantscope/store/ingest';
import { expect } from 'vitest';
import type { ApiClient } from '../installation/api-client.ts';
import type { Installation } from '../installation/installation.ts';
import { openTestPool } from '../services/pool.ts';
import { createRandom, isLong } from '../torture/random.ts';

type ReadRows = (parameters: Record<string, string>) => Promise<AuditLogEvent[]>;

const keyMembers = [
  'action',
  'severity',
  'outcome',
  'workload',
  'sourceType',
  'actorId',
  'actorUserId',
  'actorType',
  'actorIp',
  'resourceId',
  'resourceType',
  'clientApp',
  'deviceId',
  'isManagedDevice',
  'applicationId',
  'errorCode',
  'sessionId',
] as const satisfies readonly (SummaryKey & keyof AuditLogEvent)[];

const memberText = (value: string | boolean | null): string | null => (value === null ? null : String(value));

/** How a row shows the value of each key. */
const readValue: Readonly<Record<SummaryKey, (row: AuditLogEvent) => string | null>> = {
  ...(Object.fromEntries(keyMembers.map((key) => [key, (row: AuditLogEvent) => memberText(row[key])])) as Record<
    (typeof keyMembers)[number],
    (row: AuditLogEvent) => string | null
  >),
  country: ({ location }) => location?.country ?? null,
  occurredHour: ({ occurredAt }) => `${occurredAt.slice(0, 13)}:00:00.000Z`,
  occurredDay: ({ occurredAt }) => `${occurredAt.slice(0, 10)}T00:00:00.000Z`,
  discoveredHour: ({ discoveredAt }) => `${discoveredAt.slice(0, 13)}:00:00.000Z`,
  discoveredDay: ({ discoveredAt }) => `${discoveredAt.slice(0, 10)}T00:00:00.000Z`,
};
const keys = Object.keys(readValue) as SummaryKey[];

/** The filter ignores the case of actions, and so do groups: they show the first spelling. */
function countGroups(rows: readonly AuditLogEvent[], by: readonly SummaryKey[]) {
  type Values = readonly (string | null)[];
  const groups = new Map<string, { compared: Values; shown: Values; rowCount: number }>();
  for (const row of rows) {
    const shown = by.map((key) => readValue[key](row));
    const compared = shown.map((value, at) => (by[at] === 'action' ? (value?.toLowerCase() ?? null) : value));
    const name = JSON.stringify(compared);
    const before = groups.get(name) ?? { shown, rowCount: 0 };
    const first = [before.shown, shown].toSorted(compareTexts)[0] ?? shown;
    groups.set(name, { compared, shown: first, rowCount: before.rowCount + 1 });
  }
  return [...groups.values()]
    .toSorted((one, other) => other.rowCount - one.rowCount || compareTexts(one.compared, other.compared))
    .map(({ shown, rowCount }) => ({ values: Object.fromEntries(by.map((key, at) => [key, shown[at]])), rowCount }));
}

/** Missing values are last. */
function compareTexts(one: readonly (string | null)[], other: readonly (string | null)[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  const [a, b] = [one[at], other[at]];
  if (a == null || b == null) return a === b ? 0 : a == null ? 1 : -1;
  return a < b ? -1 : 1;
}

/** Of random windows and filters: the groups are those of the rows that the list returns, and their sum is the number of rows. */
export async function expectSummariesOfList(
  renewClient: () => Promise<ApiClient>,
  rows: readonly AuditLogEvent[],
  readRows: ReadRows,
): Promise<void> {
  const random = createRandom('summaries');
  const filters = keyMembers.filter((key) => key !== 'actorUserId');
  let filled = 0;
  let caller = await renewClient();
  for (let round = 0; round < (isLong ? 400 : 60); round++) {
    if (round % 60 === 59) caller = await renewClient();
    const window = (axis: 'discoveredAt' | 'occurredAt') =>
      [random.pick(rows)[axis], random.pick(rows)[axis]].toSorted() as [string, string];
    const given: Record<string, string> = {};
    if (random.between(0, 3) > 0) [given.discoveredFrom, given.discoveredTo] = window('discoveredAt');
    if (random.between(0, 1) > 0) [given.occurredFrom, given.occurredTo] = window('occurredAt');
    for (const filter of random.shuffle(filters).slice(0, random.between(0, 2))) {
      const value = memberText(random.pick(rows)[filter]);
      // A comma separates values.
      if (value && !value.includes(',')) given[filter] = value;
    }
    const by = random.shuffle(keys).slice(0, random.between(1, summaryKeysMax));
    const limit = random.pick([1, 7, 1_000]);
    const listed = await readRows(given);
    const { status, text, body } = await caller.get('/logs/summary', { ...given, by: by.join(), limit: String(limit) });
    expect(status, text).toBe(200);
    const expected = countGroups(listed, by);
    const shown = expected.slice(0, limit);
    const label = JSON.stringify({ given, by, limit });
    expect(body.data.groups, label).toEqual(shown);
    expect(body.data, label).toMatchObject({
      by,
      rowCount: listed.length,
      groupCount: expected.length,
      otherRowCount: listed.length - shown.reduce((sum, { rowCount }) => sum + rowCount, 0),
    });
    if (listed.length > 0) filled += 1;
  }
  expect(filled).toBeGreaterThan(20);
}

/** A window of more rows than a summary counts is refused with one that fits; the counts of the windows before it complete the sum. */
export async function expectSumOfWindows(
  installation: Installation,
  { tenantId, client }: { readonly tenantId: string; readonly client: ApiClient },
  hasBlocks: boolean,
): Promise<void> {
  const total = 2 * summaryRowsMax + 1_000;
  const superuser = openTestPool(installation.database.superuser, { max: 1 });
  const ingest = openTestPool(installation.database.roles.ingest, { max: 1 });
  try {
    await superuser.query(
      `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, actor_id, normaliser_version, member_lines)
       select $1, at.ms, (lpad(to_hex((extract(epoch from at.ms) * 1000)::bigint), 12, '0') || lpad(to_hex(n), 20, '0'))::uuid, at.ms, 'read', 'p' || n % 100, 1, '"Read"'
         from generate_series(1, $2::int) n, lateral (select date_trunc('milliseconds', now() - interval '2 hours' + n * interval '5 ms') as ms) at`,
      [tenantId, total],
    );
    await superuser.query('analyze models.audit_log');
    if (hasBlocks)
      for (let complete = false; !complete; )
        complete = (await writeLogBlocks(ingest, tenantId, Date.now()))?.isComplete ?? false;
    let [rowCount, windows] = [0, 0];
    const persons = new Map<string, number>();
    for (let to: string | undefined; rowCount < total; windows++) {
      const before = to === undefined ? {} : { discoveredTo: to };
      const refused = await client.get('/logs/summary', before);
      if (refused.status === 200 && windows < 2) throw new Error('a window of too many rows is not refused');
      const from = refused.status === 200 ? undefined : (refused.body.error.details[0].example as string);
      if (from) expect(refused).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
      const startedMs = performance.now();
      const counted = await client.get('/logs/summary', {
        ...before,
        by: 'actorId',
        limit: '100',
        ...(from && { discoveredFrom: from }),
      });
      expect(counted.status, counted.text).toBe(200);
      console.log(`a summary of ${counted.body.data.rowCount} rows: ${Math.round(performance.now() - startedMs)} ms`);
      // The bound is in whole blocks.
      if (windows === 0) expect(counted.body.data.rowCount).toBeGreaterThan(summaryRowsMax * 0.95);
      rowCount += counted.body.data.rowCount;
      for (const { values, rowCount } of counted.body.data.groups)
        persons.set(values.actorId, (persons.get(values.actorId) ?? 0) + rowCount);
      if (from) to = new Date(Date.parse(from) - 1).toISOString();
    }
    expect({ rowCount, windows }).toEqual({ rowCount: total, windows: 3 });
    expect([...persons.values()]).toEqual(Array.from({ length: 100 }, () => total / 100));
  } finally {
    await superuser.end();
    await ingest.end();
  }
}

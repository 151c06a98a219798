import { randomUUID } from 'node:crypto';
import { snapshotDigestMembers } from '@tenantscope/contract';
import { type SnapshotDependencies, type SnapshotTrigger, takeSnapshot } from '@tenantscope/jobs';
import { digestJson, generateSigningKey, parseSigningKey, verifyChain, verifyDetached } from '@tenantscope/proof';
import { readTakenPeriods } from '@tenantscope/store/snapshots';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

let database: TestDatabase;
let superuser: pg.Client;
let models: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
  models = openTestPool(database.roles.jobs, { max: 24 });
});
afterAll(async () => {
  await models.end();
  await superuser.end();
  await database[Symbol.asyncDispose]();
});

const evaluatedAt = (ms: number) => ({ catalogueVersion: '2026.11', generatedAt: new Date(ms).toISOString() });
const taking = (other: Partial<SnapshotDependencies> = {}): SnapshotDependencies => ({
  models,
  evaluate: async ({ id }, earliestMs) => ({ ...evaluatedAt(earliestMs), of: id, ratio: 0.1 }),
  readSigningKey: async () => null,
  ...other,
});
const take = (tenantId: string, trigger: SnapshotTrigger, by = taking()) =>
  takeSnapshot(by, { id: tenantId, connectedAtMs: 0 }, trigger);
const week = (number: number, endMs = Number.MAX_SAFE_INTEGER): SnapshotTrigger => ({
  kind: 'period',
  period: `2026-W${number}`,
  endMs,
});

async function requestSnapshot(tenantId: string): Promise<SnapshotTrigger> {
  const { rows } = await superuser.query<{ id: string }>(
    `insert into models.snapshot_request (tenant_id, requested_by) values ($1, 'cli:maria') returning id`,
    [tenantId],
  );
  return { kind: 'request', requestId: rows[0]?.id ?? '', requestedBy: 'cli:maria' };
}

type Document = Record<(typeof snapshotDigestMembers)[number], never> & Record<string, unknown>;

async function chainOf(tenantId: string): Promise<Document[]> {
  const { rows } = await superuser.query<{ document: string }>(
    'select document from models.compliance_snapshot where tenant_id = $1 order by taken_at, id',
    [tenantId],
  );
  return rows.map(({ document }) => JSON.parse(document) as Document);
}

const linksOf = (chain: readonly Document[]) =>
  chain.map((document) => ({
    body: Object.fromEntries(snapshotDigestMembers.map((name) => [name, document[name]])),
    sha256: String(document.sha256),
  }));

test('concurrent snapshots form one chain with each week and each request once', async () => {
  const tenantId = randomUUID();
  const requests = [await requestSnapshot(tenantId), await requestSnapshot(tenantId), await requestSnapshot(tenantId)];
  const triggers = [week(44), week(45), week(46), week(47), ...requests];
  const taken = await Promise.all([...triggers, ...triggers, ...triggers].map((trigger) => take(tenantId, trigger)));
  expect(taken.filter((one) => one !== null)).toHaveLength(7);

  const chain = await chainOf(tenantId);
  expect(
    chain
      .map(({ period }) => period)
      .filter((period) => period !== null)
      .toSorted(),
  ).toEqual(['2026-W44', '2026-W45', '2026-W46', '2026-W47']);
  expect(chain.filter(({ trigger }) => trigger === 'manual').map(({ takenBy }) => takenBy)).toEqual(
    Array(3).fill('cli:maria'),
  );
  expect(await verifyChain(linksOf(chain))).toMatchObject({ whole: true, links: 7 });
  const times = chain.map(({ takenAt }) => takenAt);
  expect(new Set(times).size).toBe(7);
  expect(times).toEqual(times.toSorted());
  const { rows } = await superuser.query(
    `select count(*) filter (where state = 'taken' and snapshot_id is not null)::int as taken from models.snapshot_request where tenant_id = $1`,
    [tenantId],
  );
  expect(rows[0]).toEqual({ taken: 3 });
});

test('the digest covers the nine members, and the status is evaluated at its timestamp', async () => {
  const tenantId = randomUUID();
  const taken = await take(tenantId, week(47));
  const [document] = await chainOf(tenantId);
  if (!document || !taken) throw new Error('no snapshot was taken');
  expect(Object.keys(document)).toEqual([
    'id',
    'takenAt',
    'trigger',
    'takenBy',
    'period',
    'late',
    'catalogueVersion',
    'previousSha256',
    'sha256',
    'signature',
    'status',
  ]);
  expect(document).toMatchObject({
    trigger: 'scheduled',
    takenBy: 'scheduler',
    period: '2026-W47',
    late: false,
    previousSha256: null,
    signature: null,
    status: { of: tenantId, generatedAt: taken.takenAt },
  });
  const { sha256, signature: _, ...sealed } = document;
  expect(await digestJson(sealed as never)).toBe(sha256);
});

test('a clock behind the chain adds the next link one millisecond later', async () => {
  const tenantId = randomUUID();
  await take(tenantId, week(46));
  const ahead = new Date(Date.now() + 3_600_000).toISOString();
  await superuser.query(`set session_replication_role = replica`);
  await superuser.query('update models.compliance_snapshot set taken_at = $2 where tenant_id = $1', [tenantId, ahead]);
  await superuser.query(`set session_replication_role = origin`);
  const next = await take(tenantId, week(47));
  expect(next?.takenAt).toBe(new Date(Date.parse(ahead) + 1).toISOString());
});

test('the time of a snapshot is that of its facts, which are read after its place in the chain', async () => {
  const tenantId = randomUUID();
  const evaluate: SnapshotDependencies['evaluate'] = async (_, earliestMs) => evaluatedAt(earliestMs + 40);
  const taken = await take(tenantId, week(47), taking({ evaluate }));
  const [document] = await chainOf(tenantId);
  expect(document?.status).toMatchObject({ generatedAt: taken?.takenAt });
});

test('a snapshot of a past week is marked late, and one of the current week is not', async () => {
  const tenantId = randomUUID();
  const late = await take(tenantId, week(46, Date.now() - 1));
  const inTime = await take(tenantId, week(47, Date.now() + 60_000));
  expect([late?.late, inTime?.late]).toEqual([true, false]);
  expect(await readTakenPeriods(models, [tenantId, randomUUID()], ['2026-W45', '2026-W46'])).toEqual([
    { tenantId, period: '2026-W46' },
  ]);
});

test('a failed evaluation stores nothing and succeeds on retry', async () => {
  const tenantId = randomUUID();
  const request = await requestSnapshot(tenantId);
  const broken = taking({
    evaluate: async () => {
      throw new Error('no such catalogue');
    },
  });
  for (const trigger of [week(47), request])
    await expect(take(tenantId, trigger, broken)).rejects.toThrow('no such catalogue');
  expect(await chainOf(tenantId)).toEqual([]);
  for (const trigger of [week(47), request]) expect(await take(tenantId, trigger)).not.toBeNull();
  expect(await chainOf(tenantId)).toHaveLength(2);
});

test('a signing key signs the digest, and the signature matches that digest only', async () => {
  const tenantId = randomUUID();
  const key = await parseSigningKey(await generateSigningKey());
  const taken = await take(tenantId, week(47), taking({ readSigningKey: async () => key }));
  const other = await take(tenantId, week(48), taking({ readSigningKey: async () => key }));
  const keys = { keys: [key.public] };
  expect(await verifyDetached(taken?.signature ?? '', taken?.sha256 ?? '', keys)).toBe('valid');
  expect(await verifyDetached(taken?.signature ?? '', other?.sha256 ?? '', keys)).toBe('invalid');
});

test('no login can insert, change or delete snapshots of other tenants, and even the owner is rejected', async () => {
  const tenantId = randomUUID();
  const taken = await take(tenantId, week(47));
  const attempt = async (url: string, statement: string) => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      await client.query('begin read write');
      await client.query(`select set_config('tenantscope.tenant', $1, true)`, [randomUUID()]);
      return (await client.query(statement)).rowCount;
    } catch (error) {
      return (error as Error).message;
    } finally {
      await client.end();
    }
  };
  for (const role of ['api', 'jobs', 'admin', 'ingest'] as const) {
    const url = database.roles[role];
    expect(await attempt(url, `update models.compliance_snapshot set late = true`), role).toMatch(/permission denied/);
    expect(await attempt(url, `delete from models.compliance_snapshot`), role).toMatch(/permission denied/);
    expect(await attempt(url, `truncate models.compliance_snapshot`), role).toMatch(/permission denied|must be owner/);
  }
  expect(await attempt(database.roles.jobs, `select from models.compliance_snapshot`)).toBe(0);
  const first = await forge(null, {});
  expect(await insertForged(randomUUID(), randomUUID(), first)).toMatch(/row-level security/);
  for (const statement of [
    `update models.compliance_snapshot set late = true where id = '${taken?.id}'`,
    `delete from models.compliance_snapshot where id = '${taken?.id}'`,
    'truncate models.compliance_snapshot',
  ])
    expect(await attempt(database.superuser, statement)).toBe('snapshots are immutable');
});

interface ForgedRow {
  readonly body: Record<string, unknown>;
  readonly sha256: string;
  /** Columns that differ from the document. */
  readonly columns: Record<string, unknown>;
}

/** A row with the digest of its document, as a compromised process would compute it. */
async function forge(previousSha256: string | null, changes: Record<string, unknown>): Promise<ForgedRow> {
  const body = {
    id: randomUUID(),
    // After a snapshot of the same millisecond, and within the minute that a clock may be ahead.
    takenAt: new Date(Date.now() + 1_000).toISOString(),
    trigger: 'manual',
    takenBy: 'cli:maria',
    period: null,
    late: false,
    catalogueVersion: '2026.11',
    previousSha256,
    status: { catalogueVersion: '2026.11' },
    ...changes,
  };
  return { body, sha256: await digestJson(body as never), columns: {} };
}

/** In the order of members that verification expects. */
const serializeForged = ({ status, ...facts }: Record<string, unknown>, sha256: string): string =>
  JSON.stringify({ ...facts, sha256, signature: null, status });

/** Inserts as the login of the jobs, in a transaction for one tenant that is rolled back. Returns the error, or the number of rows. */
async function insertForged(tenantId: string, ofTenant: string, { body, sha256, columns }: ForgedRow) {
  const client = new pg.Client(database.roles.jobs);
  await client.connect();
  try {
    await client.query('begin read write');
    await client.query(`select set_config('tenantscope.tenant', $1, true)`, [ofTenant]);
    const document = serializeForged(body, sha256);
    const row = {
      tenant_id: tenantId,
      id: body.id,
      taken_at: body.takenAt,
      trigger: body.trigger,
      period: body.period,
      late: body.late,
      taken_by: body.takenBy,
      catalogue_version: body.catalogueVersion,
      previous_sha256: body.previousSha256,
      sha256,
      document,
      ...columns,
    };
    const names = Object.keys(row);
    const { rowCount } = await client.query(
      `insert into models.compliance_snapshot (${names.join()}) values (${names.map((_, index) => `$${index + 1}`).join()})`,
      Object.values(row),
    );
    return rowCount;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end();
  }
}

test('the login of the jobs cannot insert a snapshot that does not continue the chain', async () => {
  const tenantId = randomUUID();
  const before = await take(tenantId, week(46));
  const last = await take(tenantId, week(47));
  const head = last?.sha256 ?? '';
  const at = (ms: number) => ({ takenAt: new Date(Date.now() + ms).toISOString() });
  expect(await insertForged(tenantId, tenantId, await forge(head, {}))).toBe(1);
  const forged = await forge(head, {});
  const attempts: [string, ForgedRow, RegExp][] = [
    ['without a predecessor', await forge(null, {}), /must name the digest of the last/],
    ['a fork', await forge(before?.sha256 ?? '', {}), /must name the digest of the last/],
    ['an invented predecessor', await forge('0'.repeat(64), {}), /must name the digest of the last/],
    ['a time before its predecessor', await forge(head, at(-3_600_000)), /taken now and after the last/],
    ['a time far ahead', await forge(head, at(365 * 86_400_000)), /taken now and after the last/],
    ['an invented digest', { ...forged, sha256: 'a'.repeat(64) }, /digest of a snapshot must be that of its document/],
    ['another document', { ...forged, body: { ...forged.body, status: {} } }, /must be that of its document/],
    ['a further member', { ...forged, body: { ...forged.body, more: 1 } }, /must be the serialization of its columns/],
    ['another column', { ...forged, columns: { taken_by: 'cli:else' } }, /must be the serialization of its columns/],
    ['another digest column', { ...forged, columns: { sha256: 'b'.repeat(64) } }, /must be the serialization of its/],
    ['another signature', { ...forged, columns: { signature: 'x' } }, /must be the serialization of its columns/],
  ];
  for (const [name, row, error] of attempts) expect(await insertForged(tenantId, tenantId, row), name).toMatch(error);
  // The chain goes on.
  expect(await take(tenantId, week(48))).toMatchObject({ previousSha256: head });
  expect(await verifyChain(linksOf(await chainOf(tenantId)))).toMatchObject({ whole: true, links: 3 });
});

test('the login of the jobs cannot insert a snapshot that has the right digest and does not verify', async () => {
  const tenantId = randomUUID();
  const head = (await take(tenantId, week(47)))?.sha256 ?? '';
  const whole = await forge(head, {});
  const document = serializeForged(whole.body, whole.sha256);
  const withText = (text: string): ForgedRow => ({ ...whole, columns: { document: text } });
  const status = async (text: string): Promise<ForgedRow> => {
    const { body, sha256 } = await forge(head, { status: JSON.parse(text) });
    const replaced = serializeForged({ ...body, status: 0 }, sha256);
    return { body, sha256, columns: { document: replaced.replace('"status":0', () => `"status":${text}`) } };
  };
  const { period: _, ...withoutPeriod } = whole.body;
  const other = /must be the serialization of its columns/;
  const attempts: [string, ForgedRow, RegExp][] = [
    ['white space', withText(document.replace(',', ', ')), other],
    ['an escape', withText(document.replace('cli:', '\\u0063li:')), other],
    [
      'another order',
      withText(JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(document)).toReversed()))),
      other,
    ],
    ['a member that is missing', { ...whole, body: withoutPeriod, columns: { period: null } }, other],
    ['another form of its time', withText(document.replace('Z"', '+00:00"')), other],
    ['white space in its status', withText(document.replace('"status":{', '"status": {')), other],
    ['a repeated name', await status('{"a":2,"a":1}'), /repeated name/],
    ['a name that is a number', await status('{"b":1,"1":1}'), /name that is a number/],
    ['a number in another form', await status('{"a":1.0}'), other],
    ['a negative zero', await status('{"a":-0}'), other],
    ['names that have no order here', await status('{"\u{1f600}":1,"\ufb00":2}'), /beyond U\+D7FF/],
  ];
  for (const [name, row, error] of attempts) expect(await insertForged(tenantId, tenantId, row), name).toMatch(error);
  const large = withText(document.replace('{"catalogueVersion"', '{"large":9007199254740992,"catalogueVersion"'));
  expect(await insertForged(tenantId, tenantId, large)).toMatch(/no canonical form of the number 9007199254740992/);
  expect(await insertForged(tenantId, tenantId, withText(document))).toBe(1);
});

test('an empty chain cannot be begun in the past', async () => {
  const tenantId = randomUUID();
  const old = await forge(null, { takenAt: '2020-01-01T00:00:00.000Z' });
  expect(await insertForged(tenantId, tenantId, old)).toMatch(/taken now and after the last/);
});

test('the database computes the same digest for every number and text of a status', async () => {
  const values = {
    catalogueVersion: '2026.11',
    numbers: [
      0.1,
      1e-6,
      1e-7,
      9.87e-7,
      1.5e-10,
      5e-324,
      12.5,
      33.333333333333336,
      100,
      0,
      -7,
      1e15,
      2 ** 53 - 1,
      123456789.125,
      5e-5,
      0.30000000000000004,
    ],
    texts: ['é', '\u{1f600}', '\u2028', '\u007f', '\u0001\b\f\n\r\t', '"\\/', '„zażółć”', ''],
    nested: { b: null, a: [true, { Z: 1, a: 2 }], _: {} },
  };
  const tenantId = randomUUID();
  const taken = await take(
    tenantId,
    week(47),
    taking({ evaluate: async (_, ms) => ({ ...evaluatedAt(ms), ...values }) as never }),
  );
  expect(taken).not.toBeNull();
  expect(await verifyChain(linksOf(await chainOf(tenantId)))).toMatchObject({ whole: true });
});

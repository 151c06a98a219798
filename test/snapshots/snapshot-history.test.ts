import { randomUUID } from 'node:crypto';
import { snapshotPageStatement } from '@tenantscope/store/read';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;
let superuser: pg.Client;
let baseUrl: string;

beforeAll(async () => {
  installation = await startInstallation();
  superuser = new pg.Client(installation.database.superuser);
  await superuser.connect();
  ({ baseUrl } = await installation.startApi());
});
afterAll(async () => {
  await superuser?.end();
  await installation?.[Symbol.asyncDispose]();
});

interface Page {
  readonly data: { id: string; takenAt: string; previousSha256: string | null; sha256: string; status: object }[];
  readonly pagination: Record<string, unknown> & { nextCursor: string | null; hasMore: boolean };
}

/** A tenant with this many snapshots of this length, each with these members in its status, and its reader. */
async function tenantWith(count: number, documentBytes = 200, status: object = {}) {
  const { id } = await installation.admin.tenants.create({
    name: 'Contoso',
    organizationId: null,
    azureTenantId: null,
  });
  const { secret } = await installation.admin.keys.create({
    name: 'reader',
    scopes: ['evidence:read'],
    owner: { tenantId: id },
    expiresAt: null,
  });
  // Numbers replace digests: only their links matter here.
  await superuser.query(
    `insert into models.compliance_snapshot (tenant_id, id, taken_at, trigger, late, taken_by, catalogue_version, previous_sha256, sha256, document)
     select $1::uuid, s.id, s.at, 'manual', false, 'cli:maria', '2026.11', s.before, s.own,
            json_build_object('id', s.id, 'takenAt', to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'previousSha256', s.before, 'sha256', s.own,
                              'status', jsonb_build_object('of', $1::uuid, 'filler', repeat('x', $3::int)) || $4::jsonb)
       from (select gen_random_uuid() as id, timestamptz '2026-11-01T00:00:00Z' + n * interval '7 ms' as at,
                    lpad(n::text, 64, '0') as own, case when n > 1 then lpad((n - 1)::text, 64, '0') end as before
               from generate_series(1, $2::int) n) s`,
    [id, count, documentBytes, JSON.stringify(status)],
  );
  const get = async (parameters: Record<string, string> = {}) => {
    const response = await fetch(`${baseUrl}/compliance/snapshots?${new URLSearchParams(parameters)}`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    return { status: response.status, text: await response.text(), link: response.headers.get('link') };
  };
  const page = async (parameters: Record<string, string> = {}): Promise<Page> => {
    const { status, text } = await get(parameters);
    if (status !== 200) throw new Error(text);
    return JSON.parse(text) as Page;
  };
  const pages = async (limit: number): Promise<Page[]> => {
    const all = [await page({ limit: String(limit) })];
    for (let cursor = all[0]?.pagination.nextCursor; cursor; cursor = all.at(-1)?.pagination.nextCursor)
      all.push(await page({ cursor }));
    return all;
  };
  return { id, get, page, pages };
}

test('joined pages are the full history, newest first, each linked to the next', async () => {
  const tenant = await tenantWith(23);
  const whole = (await tenant.page({ limit: '1000' })).data;
  expect(whole).toHaveLength(23);
  expect(whole.map(({ takenAt }) => takenAt)).toEqual(
    whole
      .map(({ takenAt }) => takenAt)
      .toSorted()
      .toReversed(),
  );
  for (const [at, { previousSha256 }] of whole.entries()) expect(previousSha256).toBe(whole[at + 1]?.sha256 ?? null);
  for (const limit of [1, 2, 7, 23]) {
    const pages = await tenant.pages(limit);
    expect(pages.flatMap(({ data }) => data)).toEqual(whole);
    for (const { data, pagination } of pages) {
      expect(data.length).toBeGreaterThan(0);
      expect(pagination.hasMore).toBe(pagination.nextCursor !== null);
      expect(pagination).toMatchObject({ limit, resumeCursor: null, completeThrough: null });
    }
  }
});

test('a summary has the snapshots without the rows of their statuses, on every page', async () => {
  const status = {
    totalCount: 2,
    requirements: [{ key: 'a' }, { key: 'b' }],
    frameworks: [{ key: 'nis2', readinessPercent: 50, controls: [{ id: '21' }] }],
    changes: [{ framework: 'nis2', delta: 1, improved: [{ key: 'a' }], baseline: null }],
    limitations: ['one'],
  };
  const tenant = await tenantWith(5, 200, status);
  const whole = (await tenant.page()).data;
  const first = await tenant.page({ view: 'summary', limit: '2' });
  const rest = await tenant.page({ cursor: String(first.pagination.nextCursor), limit: '10' });
  const summary = {
    ...whole[0]?.status,
    requirements: [],
    frameworks: [{ key: 'nis2', readinessPercent: 50, controls: [] }],
    changes: [{ framework: 'nis2', delta: 1, improved: [], baseline: null }],
  };
  expect([...first.data, ...rest.data]).toEqual(whole.map((snapshot) => ({ ...snapshot, status: summary })));
  expect((await tenant.page({ view: 'full' })).data).toEqual(whole);
});

test('a snapshot taken during paging does not change the pages', async () => {
  const tenant = await tenantWith(5);
  const whole = (await tenant.page()).data;
  const first = await tenant.page({ limit: '2' });
  await superuser.query(
    `insert into models.compliance_snapshot (tenant_id, id, taken_at, trigger, late, taken_by, catalogue_version, previous_sha256, sha256, document)
     values ($1, gen_random_uuid(), now(), 'manual', false, 'x', 'x', lpad('5', 64, '0'), repeat('f', 64), '{"id":"newer"}')`,
    [tenant.id],
  );
  const rest = await tenant.page({ cursor: String(first.pagination.nextCursor), limit: '10' });
  expect([...first.data, ...rest.data]).toEqual(whole);
  expect((await tenant.page({ limit: '1' })).data).toEqual([{ id: 'newer' }]);
});

test('a page ends at 8 MiB and contains at least one row', async () => {
  const tenant = await tenantWith(7, 3_000_000);
  const pages = await tenant.pages(1000);
  expect(pages.map(({ data }) => data.length)).toEqual([2, 2, 2, 1]);
  expect(new Set(pages.flatMap(({ data }) => data.map(({ id }) => id))).size).toBe(7);
  const large = await tenantWith(3, 9_000_000);
  expect((await large.pages(50)).map(({ data }) => data.length)).toEqual([1, 1, 1]);
});

test('a tenant without snapshots has an empty history', async () => {
  const tenant = await tenantWith(0);
  expect(await tenant.page()).toEqual({
    data: [],
    pagination: {
      nextCursor: null,
      hasMore: false,
      limit: 50,
      resumeCursor: null,
      completeThrough: null,
      unreadSince: null,
      window: { from: null, to: null },
      note: null,
    },
  });
});

test('a key cannot read the history of another tenant by request or cursor', async () => {
  const [own, theirs] = [await tenantWith(3), await tenantWith(3)];
  const text = (await own.get()).text;
  expect(text).toContain(own.id);
  expect(text).not.toContain(theirs.id);
  const { pagination } = await theirs.page({ limit: '1' });
  const stolen = await own.get({ cursor: String(pagination.nextCursor) });
  expect(stolen.status).toBe(400);
  expect(stolen.text).toContain('INVALID_CURSOR');
});

test('the history accepts only limit and cursor', async () => {
  const tenant = await tenantWith(1);
  for (const parameters of [
    { sort: 'takenAtDesc' },
    { from: '2026-01-01' },
    { period: '2026-W01' },
    { limit: '1001' },
  ]) {
    const { status, text } = await tenant.get(parameters as Record<string, string>);
    expect(status).toBe(400);
    expect(JSON.parse(text).error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: [{ parameter: Object.keys(parameters)[0] }],
    });
  }
  const bare = await tenant.page({ cursor: '0' });
  expect(bare.data).toHaveLength(1);
});

test('a page is read by an index for any length of history', async () => {
  const tenant = await tenantWith(2_000, 10);
  const other = randomUUID();
  await superuser.query('analyze models.compliance_snapshot');
  const client = new pg.Client(installation.database.roles.api);
  await client.connect();
  await client.query(`select set_config('tenantscope.tenant', $1, false)`, [tenant.id]);
  const { rows } = await client.query<Record<'QUERY PLAN', string>>(
    `explain (analyze, costs off, timing off, summary off) ${snapshotPageStatement({
      tenantId: tenant.id,
      after: { atMs: Date.parse('2026-11-01T00:00:05Z'), id: other },
      limit: 50,
      maxBytes: 8_388_608,
      timeoutMs: 1_000,
    })}`,
  );
  await client.end();
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Index Scan Backward using compliance_snapshot_page/);
  expect(plan).not.toMatch(/\bSort\b/);
  expect(plan).toMatch(/Index Scan Backward .*rows=5\d(\.00)? /);
});

import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { comparePolled, type Polled, sleep } from './pollers.ts';
import { createRandom, tortureDurationMs } from './random.ts';
import { startTicker, writeWithFailures } from './writers.ts';

let installation: Installation;
let superuser: pg.Client;

beforeAll(async () => {
  installation = await startInstallation();
  superuser = new pg.Client(installation.database.superuser);
  await superuser.connect();
});
afterAll(async () => {
  await superuser.end();
  await installation[Symbol.asyncDispose]();
});

interface LogsResponse {
  data: { id: string }[];
  pagination: { hasMore: boolean; nextCursor: string | null; resumeCursor: string };
}

const pollIntervalMs = 50;

/** Requests as a collector does: it repeats a 503, and anything else is a failure. It uses several keys, since each has a limit per minute. */
function createRequester(
  baseUrl: string,
  secrets: readonly string[],
): (parameters: Record<string, string>) => Promise<LogsResponse> {
  let turn = 0;
  return async (parameters) => {
    for (;;) {
      const response = await fetch(`${baseUrl}/logs?${new URLSearchParams(parameters)}`, {
        headers: { authorization: `Bearer ${secrets[turn++ % secrets.length]}` },
      });
      if (response.status === 200) return (await response.json()) as LogsResponse;
      if (response.status !== 503) throw new Error(`${response.status}: ${await response.text()}`);
      await sleep(pollIntervalMs);
    }
  };
}

test('HTTP pollers by window and by resumeCursor miss no row while eight writers commit late and die', {
  timeout: 600_000,
}, async () => {
  const { id: tenantId, secret } = await installation.createTenant();
  const others = await Promise.all(
    Array.from({ length: 11 }, () =>
      installation.admin.keys.create({ name: 'more', scopes: ['logs:read'], owner: { tenantId }, expiresAt: null }),
    ),
  );
  await using _ticker = startTicker(installation.database);
  await using api = await installation.startApi();
  const request = createRequester(api.baseUrl, [secret, ...others.map((key) => key.secret)]);
  const polled: Polled = { windows: [], followed: [] };
  const startMs = Date.now() - 1_000;
  let writing = true;

  const pollWindows = async () => {
    for (let fromMs = startMs, last = false; !last; ) {
      last = !writing;
      const toMs = Date.now();
      const window = { discoveredFrom: new Date(fromMs).toISOString(), discoveredTo: new Date(toMs).toISOString() };
      const ids: string[] = [];
      for (let page = await request({ ...window, sort: 'discoveredAtAsc', limit: '200' }); ; ) {
        ids.push(...page.data.map(({ id }) => id));
        if (page.pagination.nextCursor === null) break;
        page = await request({ cursor: page.pagination.nextCursor });
      }
      polled.windows.push({ fromMs, toMs, ids });
      fromMs = toMs;
      await sleep(pollIntervalMs);
    }
  };
  const follow = async () => {
    let next: Record<string, string> = {
      sort: 'discoveredAtAsc',
      limit: '200',
      discoveredFrom: new Date(startMs).toISOString(),
    };
    for (let finalPasses = 0; finalPasses < 3; finalPasses += writing ? 0 : 1) {
      if (!writing) await sleep(500);
      for (let more = true; more; ) {
        const { data, pagination } = await request(next);
        polled.followed.push(...data.map(({ id }) => id));
        next = { cursor: pagination.resumeCursor };
        more = pagination.hasMore;
      }
      await sleep(pollIntervalMs);
    }
  };

  let polling: Promise<unknown> = Promise.resolve();
  const lots = createRandom('over HTTP');
  const written = await writeWithFailures(installation.database, superuser, {
    tenantId,
    lots,
    forMs: tortureDurationMs({ short: 8, long: 60 }),
    began: () => {
      polling = Promise.all([pollWindows(), follow()]);
      polling.catch(() => {});
    },
  });
  writing = false;
  await polling;
  const { rows: stored } = await superuser.query<{ id: string; atMs: number }>(
    `select id, (extract(epoch from discovered_at) * 1000)::float8 as "atMs" from models.audit_log where tenant_id = $1 order by discovered_at, id`,
    [tenantId],
  );
  const judged = comparePolled(polled, stored);
  console.log('over HTTP:', JSON.stringify({ ...judged, ...written, windows: polled.windows.length }));
  expect(judged).toEqual({ missedInWindows: 0, missedByCursor: 0, readTwiceByCursor: 0, changedWindows: 0 });
  expect(written.rows).toBeGreaterThan(1_000);
  expect(written.killed).toBeGreaterThan(5);
});

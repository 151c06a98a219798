import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Product, product } from '../product/product.ts';
import { drawLots, lasting } from './lots.ts';
import { judge, type Polled, sleep } from './pollers.ts';
import { keepTicking, writeUnderTorture } from './writers.ts';

let running: Product;
let superuser: pg.Client;

beforeAll(async () => {
  running = await product();
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
});
afterAll(async () => {
  await superuser.end();
  await running[Symbol.asyncDispose]();
});

interface Answer {
  data: { id: string }[];
  pagination: { hasMore: boolean; nextCursor: string | null; resumeCursor: string };
}

const pollIntervalMs = 50;

/** Asks as a collector does: a 503 is asked again, anything else is a failure. More keys than one, since each has a limit a minute. */
function asking(baseUrl: string, secrets: readonly string[]): (parameters: Record<string, string>) => Promise<Answer> {
  let turn = 0;
  return async (parameters) => {
    for (;;) {
      const response = await fetch(`${baseUrl}/logs?${new URLSearchParams(parameters)}`, {
        headers: { authorization: `Bearer ${secrets[turn++ % secrets.length]}` },
      });
      if (response.status === 200) return (await response.json()) as Answer;
      if (response.status !== 503) throw new Error(`${response.status}: ${await response.text()}`);
      await sleep(pollIntervalMs);
    }
  };
}

test('over HTTP, windows up to now and resumeCursor miss nobody while eight writers commit late and die', {
  timeout: 600_000,
}, async () => {
  const { id: tenantId, secret } = await running.tenant();
  const others = await Promise.all(
    Array.from({ length: 11 }, () =>
      running.admin.keys.create({ name: 'more', scopes: ['logs:read'], owner: { tenantId }, expiresAt: null }),
    ),
  );
  await using _ticker = keepTicking(running.database);
  await using api = await running.startApi();
  const ask = asking(api.baseUrl, [secret, ...others.map((key) => key.secret)]);
  const polled: Polled = { windows: [], followed: [] };
  const startMs = Date.now() - 1_000;
  let writing = true;

  const pollWindows = async () => {
    for (let fromMs = startMs, last = false; !last; ) {
      last = !writing;
      const toMs = Date.now();
      const window = { discoveredFrom: new Date(fromMs).toISOString(), discoveredTo: new Date(toMs).toISOString() };
      const ids: string[] = [];
      for (let answer = await ask({ ...window, sort: 'discoveredAtAsc', limit: '200' }); ; ) {
        ids.push(...answer.data.map(({ id }) => id));
        if (answer.pagination.nextCursor === null) break;
        answer = await ask({ cursor: answer.pagination.nextCursor });
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
    for (let rounds = 0; rounds < 3; rounds += writing ? 0 : 1) {
      if (!writing) await sleep(500);
      for (let more = true; more; ) {
        const { data, pagination } = await ask(next);
        polled.followed.push(...data.map(({ id }) => id));
        next = { cursor: pagination.resumeCursor };
        more = pagination.hasMore;
      }
      await sleep(pollIntervalMs);
    }
  };

  let polling: Promise<unknown> = Promise.resolve();
  const lots = drawLots('over HTTP');
  const written = await writeUnderTorture(running.database, superuser, {
    tenantId,
    lots,
    forMs: lasting({ short: 8, long: 60 }),
    began: () => {
      polling = Promise.all([pollWindows(), follow()]);
      polling.catch(() => {});
    },
  });
  writing = false;
  await polling;
  const { rows: stands } = await superuser.query<{ id: string; atMs: number }>(
    `select id, (extract(epoch from discovered_at) * 1000)::float8 as "atMs" from models.audit_log where tenant_id = $1 order by discovered_at, id`,
    [tenantId],
  );
  const judged = judge(polled, stands);
  console.log('over HTTP:', JSON.stringify({ ...judged, ...written, windows: polled.windows.length }));
  expect(judged).toEqual({ missedInWindows: 0, missedByCursor: 0, readTwiceByCursor: 0, changedWindows: 0 });
  expect(written.rows).toBeGreaterThan(1_000);
  expect(written.killed).toBeGreaterThan(5);
});

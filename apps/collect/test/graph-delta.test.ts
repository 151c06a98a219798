import { expect, test } from 'vitest';
import { graph } from '../src/provider/graph/graph.ts';
import type { Page, StreamInput } from '../src/provider/provider.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.UTC(2026, 10, 20, 12);
const url = 'https://graph.microsoft.com';
const link = (name: string, of: 'next' | 'delta') => ({
  [`@odata.${of}Link`]: `${url}/v1.0/users/delta?$token=${name}`,
});

interface DeltaResponse {
  readonly status?: number;
  readonly body: unknown;
}

const tooOld: DeltaResponse = {
  status: 400,
  body: { error: { code: 'Request_UnsupportedQuery', message: 'DeltaLink older than 30 days is not supported.' } },
};

/** A stream of users, whose requests have the response to their link; null: a request without one. */
function createStream(respond: (token: string | null) => DeltaResponse) {
  const stream = { nowMs: startMs, position: null as unknown, requests: [] as (string | null)[] };
  const send: StreamInput['send'] = async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const token = searchParams.get('$token');
    if (!pathname.endsWith('/token')) stream.requests.push(token);
    const { status = 200, body } = pathname.endsWith('/token')
      ? { body: { access_token: 'token', expires_in: 3_600 } }
      : respond(token);
    return { status, headers: new Headers(), body: Buffer.from(JSON.stringify(body)) };
  };
  const settings = { loginUrl: 'https://login.microsoftonline.com', directoryId: 'directory', clientId: 'client' };
  /** `pages`: the run is interrupted after so many. */
  const run = async (pages = Number.POSITIVE_INFINITY) => {
    const { nowMs, position } = stream;
    const input = {
      ...{ stream: 'users', url, settings, secret: 'secret', position, completedAtMs: null, send, nowMs },
      ...{ startAtMs: startMs, createdAtMs: startMs, clockAheadMs: () => 0 },
    };
    const found: Page[] = [];
    let failure: string | null = null;
    try {
      for await (const page of graph.readPages(input)) {
        found.push(page);
        stream.position = page.position;
        if (found.length >= pages) break;
      }
    } catch (error) {
      failure = (error as Error).message;
    }
    const gaps = found.flatMap((page) => page.gaps ?? []);
    const records = found.flatMap((page) => page.records.map(String));
    return { gaps, records, failure, progress: found.filter(({ isProgress }) => isProgress !== false).length };
  };
  return Object.assign(stream, { run });
}

const users = (...ids: string[]) => ids.map((id) => ({ id }));
const toTime = (ms: number) => new Date(ms).toISOString();

test('a delta link that is too old is replaced by an enumeration of all objects, and the time since is a gap', async () => {
  let isOld = false;
  const stream = createStream((token) => {
    if (token === 'old' && isOld) return tooOld;
    if (token === 'page') return { body: { value: users('b'), ...link('new', 'delta') } };
    if (token !== null) return { body: { value: [], ...link(token, 'delta') } };
    return { body: { value: users('a'), ...(isOld ? link('page', 'next') : link('old', 'delta')) } };
  });
  expect(await stream.run()).toMatchObject({ records: ['{"id":"a"}'], gaps: [], failure: null });
  isOld = true;
  stream.nowMs += 31 * dayMs;
  expect(await stream.run()).toMatchObject({
    ...{ records: ['{"id":"a"}', '{"id":"b"}'], failure: null, progress: 1 },
    gaps: [{ from: toTime(startMs), to: toTime(stream.nowMs), reason: expect.stringContaining('were deleted then') }],
  });
  stream.requests.length = 0;
  expect(await stream.run()).toMatchObject({ gaps: [], failure: null });
  expect(stream.requests).toEqual(['new']);
});

test('a first enumeration that is interrupted until its link expires has a gap from its begin on', async () => {
  let isExpired = false;
  const stream = createStream((token) => {
    if (token === null) return { body: { value: users('a'), ...link(isExpired ? 'again' : 'page', 'next') } };
    if (token === 'page' && isExpired)
      return { status: 400, body: { error: { code: 'Directory_ExpiredPageToken', message: 'expired' } } };
    return { body: { value: users('b'), ...link('end', 'delta') } };
  });
  expect((await stream.run(1)).records).toEqual(['{"id":"a"}']);
  isExpired = true;
  stream.nowMs += 8 * dayMs;
  const { gaps, records } = await stream.run();
  expect(gaps).toMatchObject([{ from: toTime(startMs), to: toTime(stream.nowMs) }]);
  expect(records).toEqual(['{"id":"a"}', '{"id":"b"}']);
});

test('an enumeration after a gap that expires too has a gap that follows it', async () => {
  const refused = new Set<string>();
  let enumerations = 0;
  const stream = createStream((token) => {
    if (token !== null && refused.has(token)) return { status: 410, body: { error: { code: 'syncStateNotFound' } } };
    if (token !== null) return { body: { value: [], ...link('delta', 'delta') } };
    enumerations += 1;
    return { body: { value: users('a'), ...(enumerations === 1 ? link('delta', 'delta') : link('page', 'next')) } };
  });
  await stream.run();
  refused.add('delta');
  stream.nowMs += dayMs;
  const first = await stream.run(2);
  refused.add('page');
  stream.nowMs += dayMs;
  const second = await stream.run(1);
  const times = [...first.gaps, ...second.gaps].map(({ from, to }) => [from, to]);
  const [t0, t1, t2] = [0, 1, 2].map((day) => toTime(startMs + day * dayMs));
  expect(times).toEqual([
    [t0, t1],
    [t1, t2],
  ]);
});

test('links that are refused each time are no progress', async () => {
  const stream = createStream((token) =>
    token === null ? { body: { value: users('a'), ...link('page', 'next') } } : tooOld,
  );
  await stream.run();
  for (let run = 0; run < 3; run++) {
    const { progress, failure } = await stream.run();
    expect([progress, failure]).toEqual([0, expect.stringContaining('DeltaLink older than 30 days')]);
  }
  expect(stream.requests.length).toBeLessThan(14);
});

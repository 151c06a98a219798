import { ApiError } from '@tenantscope/contract';
import { makeSecret } from '@tenantscope/store/api-key';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, testKey } from './test-app.ts';

const path = '/logs/019a9f3c-2d40-8b1e-9c57-3f0a6d2e81b4';
let body = '{"data":{"id":"1"}}';
let failure: Error | null = null;
let app: Awaited<ReturnType<typeof startTestApp>>;
beforeAll(async () => {
  app = await startTestApp({
    // Each request of a test has a key of its own unless it names one.
    lookUp: async (secret) => ({ ...testKey, keyId: secret.toString('hex') }),
    handlers: {
      get_log: async () => {
        if (failure) throw failure;
        return { body };
      },
      list_logs: async () => ({ body: '{"data":[],"pagination":{}}' }),
    },
  });
});
afterAll(() => app[Symbol.asyncDispose]());

async function read(secret: string, headers: Record<string, string> = {}, from = path, method = 'GET') {
  const response = await fetch(`http://127.0.0.1:${app.port}/api/v1${from}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, 'accept-encoding': 'identity', ...headers },
  });
  return {
    status: response.status,
    tag: response.headers.get('etag'),
    remaining: response.headers.get('x-ratelimit-remaining'),
    headers: response.headers,
    text: await response.text(),
  };
}

test('a request that names the tag of the present body gets 304 without a body and is not charged', async () => {
  const secret = makeSecret();
  const first = await read(secret);
  expect([first.status, first.remaining]).toEqual([200, '599']);
  expect(first.tag).toMatch(/^"[A-Za-z0-9_-]{43}"$/);
  for (const header of [first.tag ?? '', `W/${first.tag}`, `"other", ${first.tag}`]) {
    const again = await read(secret, { 'if-none-match': header });
    expect([again.status, again.text, again.tag, again.remaining], header).toEqual([304, '', first.tag, '599']);
    expect(again.headers.get('x-tenant-id')).toBe(first.headers.get('x-tenant-id'));
  }
  const other = await read(secret, { 'if-none-match': '"other"' });
  expect([other.status, other.text, other.remaining]).toEqual([200, body, '598']);
});

test('a request with * gets 304 and is charged: it names no body that the client has', async () => {
  const secret = makeSecret();
  const { tag } = await read(secret);
  for (const [header, remaining] of [
    ['*', '598'],
    [' * ', '597'],
  ] as const) {
    const again = await read(secret, { 'if-none-match': header });
    expect([again.status, again.text, again.tag, again.remaining], header).toEqual([304, '', tag, remaining]);
  }
});

test('a changed body has another tag', async () => {
  const secret = makeSecret();
  const { tag } = await read(secret);
  body = '{"data":{"id":"2"}}';
  const changed = await read(secret, { 'if-none-match': tag ?? '' });
  expect([changed.status, changed.text, changed.remaining]).toEqual([200, body, '598']);
  expect(changed.tag).not.toBe(tag);
});

test('each content coding has a tag of its own, and each is the tag of the body', async () => {
  body = JSON.stringify({ data: { id: 'x'.repeat(5_000) } });
  const plain = await read(makeSecret());
  for (const coding of ['gzip', 'zstd']) {
    const encoded = await read(makeSecret(), { 'accept-encoding': coding });
    expect([encoded.headers.get('content-encoding'), encoded.tag]).toEqual([
      coding,
      `${plain.tag?.slice(0, -1)}-${coding}"`,
    ]);
    const again = await read(makeSecret(), { 'accept-encoding': coding, 'if-none-match': encoded.tag ?? '' });
    expect([again.status, again.tag]).toEqual([304, encoded.tag]);
  }
});

/** Without those that differ with each request; fetch sends HEAD with Connection: close. */
const comparable = (headers: Headers) =>
  Object.fromEntries(
    [...headers].filter(([name]) => !/^(date|connection|keep-alive|x-request-id|x-ratelimit-.*)$/.test(name)),
  );

test.each(['identity', 'gzip', 'zstd'])(
  'HEAD has the headers of GET without a body, also if it names the tag, in the coding %s',
  async (coding) => {
    body = JSON.stringify({ data: { id: 'x'.repeat(5_000) } });
    const accept = { 'accept-encoding': coding };
    const { tag } = await read(makeSecret(), accept);
    for (const [from, headers, status] of [
      [path, accept, 200],
      [path, { ...accept, 'if-none-match': tag ?? '' }, 304],
      ['/logs', accept, 200],
      ['/logs?nonsense=1', accept, 400],
      ['/openapi.json', accept, 200],
    ] as const) {
      const full = await read(makeSecret(), headers, from);
      const head = await read(makeSecret(), headers, from, 'HEAD');
      expect([head.status, head.text, comparable(head.headers)]).toEqual([status, '', comparable(full.headers)]);
      expect(head.headers.has('content-length'), from).toBe(status !== 304);
    }
  },
);

test('an error has no tag and is charged, whatever the request names', async () => {
  failure = new ApiError('NOT_FOUND', 'Record not found.');
  const refused = await read(makeSecret(), { 'if-none-match': '*' });
  failure = null;
  expect([refused.status, refused.tag, refused.remaining]).toEqual([404, null, '599']);
});

test('pages of lists have no tag', async () => {
  const page = await read(makeSecret(), { 'if-none-match': '*' }, '/logs');
  expect([page.status, page.tag]).toEqual([200, null]);
});

test.each([
  ['If-None-Match', path, 8_192],
  ['Prefer', '/logs', 1_024],
])('a request whose %s is longer than described gets 400, and is charged', async (header, from, max) => {
  const secret = makeSecret();
  const longest = await read(secret, { [header]: '0'.repeat(max) }, from);
  expect([longest.status, longest.remaining]).toEqual([200, '599']);
  const longer = await read(secret, { [header]: '0'.repeat(max + 1) }, from);
  expect([longer.status, longer.remaining]).toEqual([400, '598']);
  const { error } = JSON.parse(longer.text);
  expect(error).toMatchObject({ code: 'INVALID_PARAMETER', details: [{ parameter: header }] });
  expect(error.message).toContain(`${max + 1} characters`);
});

test('a header that the operation does not take may have any length', async () => {
  const secret = makeSecret();
  expect((await read(secret, { 'if-none-match': '0'.repeat(9_000) }, '/logs')).status).toBe(200);
  expect((await read(secret, { prefer: '0'.repeat(2_000) })).status).toBe(200);
});

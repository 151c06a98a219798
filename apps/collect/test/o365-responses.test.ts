import { expect, test } from 'vitest';
import type { ProviderRequest } from '../src/http/provider-request.ts';
import { o365 } from '../src/provider/o365.ts';
import type { Page, StreamInput } from '../src/provider/provider.ts';

const hourMs = 3_600_000;
const nowMs = Date.UTC(2026, 10, 20, 12);
const url = 'https://manage.office.com';

interface FeedResponse {
  readonly status?: number;
  readonly code?: string;
  readonly body?: unknown;
  readonly next?: string;
}

const already: FeedResponse = { status: 400, code: 'AF20024' };

/** The pages of one run. `respond`: null for an empty list. */
async function run(
  respond: (resource: string, request: ProviderRequest) => FeedResponse | null,
  more: Partial<StreamInput> = {},
): Promise<{ pages: Page[]; failure: Error | null }> {
  const send: StreamInput['send'] = async (request) => {
    const { pathname } = new URL(request.url);
    const {
      status = 200,
      code,
      body,
      next,
    } = pathname.endsWith('/token')
      ? { body: { access_token: 'token', expires_in: 3_600 } }
      : (respond(pathname.split('/').at(-1) ?? '', request) ?? {});
    const content = code === undefined ? (body ?? []) : { error: { code, message: 'a message' } };
    const headers = new Headers(next === undefined ? {} : { nextpageuri: next });
    return { status, headers, body: Buffer.from(JSON.stringify(content)) };
  };
  const settings = { loginUrl: 'https://login.microsoftonline.com', directoryId: 'directory', clientId: 'client' };
  const input = {
    ...{ stream: 'Audit.General', url, settings, secret: 'secret', position: null, completedAtMs: null },
    ...{ startAtMs: nowMs - hourMs, createdAtMs: nowMs - hourMs, nowMs, send, clockAheadMs: () => 0, ...more },
  };
  const pages: Page[] = [];
  try {
    for await (const page of o365.readPages(input)) pages.push(page);
  } catch (error) {
    return { pages, failure: error as Error };
  }
  return { pages, failure: null };
}

test('a 403 with AF429 limits the rate, and is no missing permission', async () => {
  const { failure } = await run((resource) => (resource === 'start' ? already : { status: 403, code: 'AF429' }));
  expect(failure).toMatchObject({ kind: 'throttled' });
  const { failure: refused } = await run(() => ({ status: 403, code: 'AF10001' }));
  expect(refused).toMatchObject({ kind: 'refused' });
});

test('a stored link to a next page that is refused begins its window again', async () => {
  const next = '/api/v1.0/directory/activity/feed/subscriptions/content?nextPage=old';
  const window = { reread: null, startedMs: nowMs - 60_000, fromMs: nowMs - hourMs, toMs: nowMs - 60_000, next };
  const position = { throughMs: nowMs - hourMs, rereadMs: [nowMs, nowMs], window, pageMax: 1, keys: [] };
  const { pages, failure } = await run(
    (resource, request) => {
      if (resource === 'start') return already;
      return request.url.includes('nextPage') ? { status: 400, code: 'AF20031' } : null;
    },
    { position },
  );
  expect(failure).toBeNull();
  expect(pages.at(-1)?.position).toMatchObject({ throughMs: nowMs, window: null });
});

test('content of seven days is listed again by a host whose clock is an hour behind, or ahead', async () => {
  for (const aheadMs of [hourMs, -hourMs]) {
    const microsoftMs = nowMs + aheadMs;
    const throughMs = microsoftMs - 300_000;
    const position = { throughMs, rereadMs: [microsoftMs, 0], window: null, pageMax: 1, keys: [] };
    const { pages, failure } = await run(
      (resource, request) => {
        if (resource === 'start') return already;
        const { searchParams } = new URL(request.url);
        const [fromMs, toMs] = ['startTime', 'endTime'].map((name) => Date.parse(`${searchParams.get(name)}Z`));
        const isRefused = Number(fromMs) < microsoftMs - 168 * hourMs || Number(toMs) > microsoftMs;
        return isRefused ? { status: 400, code: 'AF20030' } : null;
      },
      { position, startAtMs: 0, clockAheadMs: () => aheadMs },
    );
    expect(failure).toBeNull();
    expect(pages.at(-1)?.position).toMatchObject({ throughMs: microsoftMs, rereadMs: [microsoftMs, microsoftMs] });
  }
});

test('a subscription that was stopped and is started again has a gap from the last complete run on', async () => {
  const completedAtMs = nowMs - 20 * hourMs;
  const position = { throughMs: completedAtMs, rereadMs: [nowMs, nowMs], window: null, pageMax: 1, keys: [] };
  const listGaps = ({ pages }: { pages: Page[] }) => pages.flatMap(({ gaps = [] }) => gaps);
  const stream = { position, completedAtMs, startAtMs: nowMs - 100 * hourMs };
  const [from, to] = [completedAtMs, nowMs].map((ms) => new Date(ms).toISOString());
  const restarted = await run(() => null, stream);
  expect(listGaps(restarted)).toEqual([{ from, to, reason: expect.stringContaining('subscription was stopped') }]);
  expect(restarted.pages[0]).toMatchObject({ position, isProgress: false });
  // Also if the listing fails: the next run finds the subscription started.
  const failed = await run((resource) => (resource === 'start' ? null : { status: 500 }), stream);
  expect([listGaps(failed).length, failed.failure?.message]).toEqual([1, expect.stringContaining('status 500')]);
  expect(listGaps(await run((resource) => (resource === 'start' ? already : null), stream))).toEqual([]);
  expect(listGaps(await run(() => null))).toEqual([]);
});

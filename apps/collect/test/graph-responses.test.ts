import { expect, test } from 'vitest';
import { graph } from '../src/provider/graph/graph.ts';
import type { Page, StreamInput } from '../src/provider/provider.ts';

const hourMs = 3_600_000;
const nowMs = Date.UTC(2026, 10, 20, 12);

interface GraphResponse {
  readonly status?: number;
  readonly warning?: string;
  readonly body: unknown;
}

/** One run of alerts, whose list has these responses in turn. */
async function run(...responses: GraphResponse[]): Promise<{ pages: Page[]; failure: Error | null }> {
  const send: StreamInput['send'] = async ({ url }) => {
    const token = { body: { access_token: 'token', expires_in: 3_600 } };
    const {
      status = 200,
      warning,
      body,
    }: GraphResponse = url.endsWith('/token') ? token : (responses.shift() ?? token);
    const headers = new Headers(warning === undefined ? {} : { warning });
    return { status, headers, body: Buffer.from(JSON.stringify(body)) };
  };
  const settings = { loginUrl: 'https://login.microsoftonline.com', directoryId: 'directory', clientId: 'client' };
  const input = {
    ...{ stream: 'alerts', url: 'https://graph.microsoft.com', settings, secret: 'secret', position: null, send },
    ...{ completedAtMs: null, startAtMs: nowMs - hourMs, createdAtMs: nowMs - hourMs, nowMs, clockAheadMs: () => 0 },
  };
  const pages: Page[] = [];
  try {
    for await (const page of graph.readPages(input)) pages.push(page);
  } catch (error) {
    return { pages, failure: error as Error };
  }
  return { pages, failure: null };
}

const at = new Date(nowMs - 60_000).toISOString();
const alert = { id: 'a', lastUpdateDateTime: at };
const readThroughMs = (pages: readonly Page[]) =>
  (pages.at(-1)?.position as { throughMs?: number } | undefined)?.throughMs;

test.each([{ error: { code: 'UnknownError', message: 'busy' } }, {}, { value: null }, [[]]])(
  'a list with status 200 that is %j is no empty window',
  async (body) => {
    const { pages, failure } = await run({ body });
    expect(failure?.message).toBe('graph.microsoft.com sent a document without the list of records');
    expect(pages).toEqual([]);
  },
);

test('a part of the records is published, and its window is not complete', async () => {
  const warning = '199 - "Microsoft/Service 1/403/10", 199 - "Microsoft/Service 2/504/10000"';
  const { pages, failure } = await run({ status: 206, warning, body: { value: [alert] } });
  expect(failure).toMatchObject({
    kind: 'unavailable',
    message: 'graph.microsoft.com: a part of the records is missing (status 403, 504)',
  });
  expect(pages.flatMap(({ records }) => records.map(String))).toEqual([JSON.stringify(alert)]);
  expect(readThroughMs(pages)).toBe(nowMs - hourMs);
});

test('a response without the records of a service that is not licensed is complete', async () => {
  const warning = '199 - "Microsoft/Service 1/403/10"';
  const { pages, failure } = await run({ status: 206, warning, body: { value: [alert] } });
  expect(failure).toBeNull();
  expect(readThroughMs(pages)).toBe(nowMs);
});

import { expect, test } from 'vitest';
import { okta } from '../src/provider/okta.ts';
import type { Page, StreamInput } from '../src/provider/provider.ts';

const nowMs = Date.UTC(2026, 10, 20, 12);
const url = 'https://example.okta.com';

const event = (number: number) => ({ uuid: `e${number}`, published: new Date(nowMs - 60_000 + number).toISOString() });

/** Runs of one stream after the other; returns whether each had progress, and why it failed. */
async function runAll(
  count: number,
  respond: (after: string | null) => { status: number; next: string | null; events: object[] },
) {
  let requests = 0;
  const send: StreamInput['send'] = async (request) => {
    requests += 1;
    const { status, next, events } = respond(new URL(request.url).searchParams.get('after'));
    const headers = new Headers(next === null ? {} : { link: `<${url}/api/v1/logs?after=${next}>; rel="next"` });
    return { status, headers, body: Buffer.from(JSON.stringify(events)) };
  };
  let position: unknown = null;
  const runs: { progress: boolean; failure: string | null }[] = [];
  for (let run = 0; run < count; run++) {
    const input = {
      ...{ stream: 'system-log', url, settings: {}, secret: 'token', completedAtMs: null, position, nowMs, send },
      ...{ startAtMs: nowMs - 3_600_000, createdAtMs: nowMs, clockAheadMs: () => 0 },
    };
    const pages: Page[] = [];
    let failure: string | null = null;
    try {
      for await (const page of okta.readPages(input)) {
        pages.push(page);
        position = page.position;
        if (requests > 100) break;
      }
    } catch (error) {
      failure = (error as Error).message;
    }
    runs.push({ progress: pages.some(({ isProgress }) => isProgress !== false), failure });
  }
  return { runs, requests };
}

const repeats = 'example.okta.com repeats a page of its log';

test('pages that are linked in a circle end each run, and are progress once', async () => {
  const { runs, requests } = await runAll(3, (after) => {
    const page = Number(after ?? 0) % 3;
    return { status: 200, next: String((page + 1) % 3), events: [event(2 * page), event(2 * page + 1)] };
  });
  expect(runs.map(({ failure }) => failure)).toEqual([repeats, repeats, repeats]);
  expect(runs.map(({ progress }) => progress)).toEqual([true, false, false]);
  expect(requests).toBeLessThan(15);
});

test('links that are refused each time end each run, and are progress once', async () => {
  const { runs, requests } = await runAll(3, (after) => ({
    ...{ status: after === null ? 200 : 400, next: 'refused', events: after === null ? [event(1)] : [] },
  }));
  expect(runs.map(({ failure }) => failure)).toEqual([repeats, repeats, repeats]);
  expect(runs.map(({ progress }) => progress)).toEqual([true, false, false]);
  expect(requests).toBeLessThan(15);
});

test('events without a link to the next page are published, and their run is not complete', async () => {
  const { runs } = await runAll(2, () => ({ status: 200, next: null, events: [event(1), event(2)] }));
  const failure = 'example.okta.com sent events without a link to the next page';
  expect(runs).toEqual([
    { progress: true, failure },
    { progress: false, failure },
  ]);
  const { runs: empty } = await runAll(1, () => ({ status: 200, next: null, events: [] }));
  expect(empty).toEqual([{ progress: true, failure: null }]);
});

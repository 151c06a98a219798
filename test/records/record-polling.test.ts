import { scopes, topics } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { detectionState, recordMessage } from '../installation/feed-records.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;
let baseUrl: string;

beforeAll(async () => {
  installation = await startInstallation();
  await installation.startIngest();
  baseUrl = (await installation.startApi()).baseUrl;
});
afterAll(() => installation[Symbol.asyncDispose]());

const records = 400;
const versions = 25;
const perSend = 250;
/** Below the rate limit of a key. */
const pauseMs = 150;
const timeoutMs = 90_000;

test('pollers on updatedAt see each change or a later one, never go back, and end at every last version', async () => {
  const { id: tenantId } = await installation.createTenant();
  const newCaller = async (): Promise<ApiClient> => {
    const key = { name: 'poller', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
    return createApiClient(baseUrl, (await installation.admin.keys.create(key)).secret);
  };
  const changes = Array.from({ length: records * versions }, (_, index) =>
    recordMessage('detection.upserted', detectionState(tenantId, index % records, Math.floor(index / records) + 1)),
  );
  const repeated = changes.filter((_, index) => index % 20 === 0);
  const published = shuffled([...changes, ...repeated]);

  const polling = Promise.all([followCursors(await newCaller()), tileWindows(await newCaller())]);
  const topic = `${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics.detection.suffix}`;
  for (let start = 0; start < published.length; start += perSend)
    await installation.publisher.publish(topic, published.slice(start, start + perSend));

  const last = Object.fromEntries(
    Array.from({ length: records }, (_, number) => [`detection-${number}`, versions] as const),
  );
  for (const seen of await polling) {
    expect(seen.wentBack).toEqual([]);
    expect(Object.fromEntries(seen.versions)).toEqual(last);
  }
  const finalRows = await sweep(await newCaller());
  expect(Object.fromEntries(finalRows.versions)).toEqual(last);
  expect(finalRows.rows).toBe(records);
});

/** The rows that a poller has seen, and whether a row ever came again in an older version or after a later one. */
class Seen {
  readonly versions = new Map<string, number>();
  readonly wentBack: string[] = [];
  rows = 0;
  #place = '';

  take(rows: readonly { id: string; version: number; updatedAt: string }[], isRepeated = false): void {
    for (const { id, version, updatedAt } of rows) {
      const before = this.versions.get(id) ?? 0;
      if (isRepeated ? version < before : version <= before) this.wentBack.push(`${id}: ${version} after ${before}`);
      if (`${updatedAt}/${id}` <= this.#place && !isRepeated) this.wentBack.push(`${id} at ${updatedAt}`);
      this.versions.set(id, version);
      this.#place = `${updatedAt}/${id}`;
      this.rows++;
    }
  }

  isComplete(): boolean {
    return this.versions.size === records && [...this.versions.values()].every((version) => version === versions);
  }
}

/** Follows resumeCursor from the start, as documented. */
async function followCursors(caller: ApiClient): Promise<Seen> {
  const seen = new Seen();
  let query: Record<string, string> = { sort: 'updatedAtAsc', includeInfoTier: 'true', limit: '300' };
  await waitUntilComplete(seen, async () => {
    const { data, pagination } = await pageOf(caller, query);
    seen.take(data);
    query = { cursor: pagination.nextCursor ?? pagination.resumeCursor };
  });
  return seen;
}

/** Reads adjacent closed windows, each starting at the end of the previous one: a row on the edge comes twice. */
async function tileWindows(caller: ApiClient): Promise<Seen> {
  const seen = new Seen();
  let from = new Date(Date.now() - 60_000).toISOString();
  await waitUntilComplete(seen, async () => {
    const first = await pageOf(caller, {
      sort: 'updatedAtAsc',
      includeInfoTier: 'true',
      updatedFrom: from,
      limit: '1000',
    });
    const edge = from;
    from = first.pagination.window.to;
    for (let page = first; ; page = await pageOf(caller, { cursor: page.pagination.nextCursor })) {
      seen.take(
        page.data.filter(({ updatedAt }) => updatedAt === edge),
        true,
      );
      seen.take(page.data.filter(({ updatedAt }) => updatedAt !== edge));
      if (page.pagination.nextCursor === null) return;
    }
  });
  return seen;
}

/** Reads all current rows once. */
async function sweep(caller: ApiClient): Promise<Seen> {
  const seen = new Seen();
  let query: Record<string, string> = { sort: 'updatedAtAsc', includeInfoTier: 'true', limit: '1000' };
  for (;;) {
    const { data, pagination } = await pageOf(caller, query);
    seen.take(data);
    if (pagination.nextCursor === null) return seen;
    query = { cursor: pagination.nextCursor };
  }
}

interface Page {
  readonly data: readonly { id: string; version: number; updatedAt: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: the envelope of the response
  readonly pagination: any;
}

async function pageOf(caller: ApiClient, parameters: Record<string, string>): Promise<Page> {
  const { status, body, text } = await caller.get('/detections', parameters);
  if (status !== 200) throw new Error(text);
  return body;
}

async function waitUntilComplete(seen: Seen, poll: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!seen.isComplete()) {
    if (performance.now() > deadline) throw new Error(`after ${timeoutMs} ms ${seen.versions.size} records are seen`);
    await poll();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function shuffled<Item>(items: Item[]): Item[] {
  for (let index = items.length - 1; index > 0; index--) {
    const other = Math.floor(Math.random() * (index + 1));
    [items[index], items[other]] = [items[other] as Item, items[index] as Item];
  }
  return items;
}

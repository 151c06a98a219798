import { scopes, topics } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, callerOf } from './product/caller.ts';
import { detectionState, recordMessage } from './product/feed-records.ts';
import { type Product, product } from './product/product.ts';

let running: Product;
let baseUrl: string;

beforeAll(async () => {
  running = await product();
  await running.startIngest();
  baseUrl = (await running.startApi()).baseUrl;
}, 90_000);
afterAll(() => running[Symbol.asyncDispose](), 60_000);

const records = 400;
const versions = 25;
const perSend = 250;
/** Below the request budget of a key. */
const pauseMs = 150;
const patienceMs = 90_000;

test('pollers on updatedAt see each change or a later one, never go back, and end at every last version', async () => {
  const { id: tenantId } = await running.tenant();
  const newCaller = async (): Promise<Caller> => {
    const key = { name: 'poller', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
    return callerOf(baseUrl, (await running.admin.keys.create(key)).secret);
  };
  const changes = Array.from({ length: records * versions }, (_, index) =>
    recordMessage('detection.upserted', detectionState(tenantId, index % records, Math.floor(index / records) + 1)),
  );
  const repeated = changes.filter((_, index) => index % 20 === 0);
  const said = shuffled([...changes, ...repeated]);

  const polling = Promise.all([followCursors(await newCaller()), tileWindows(await newCaller())]);
  const topic = `${running.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics.detection.suffix}`;
  for (let start = 0; start < said.length; start += perSend)
    await running.publisher.publish(topic, said.slice(start, start + perSend));

  const last = Object.fromEntries(
    Array.from({ length: records }, (_, number) => [`detection-${number}`, versions] as const),
  );
  for (const seen of await polling) {
    expect(seen.wentBack).toEqual([]);
    expect(Object.fromEntries(seen.versions)).toEqual(last);
  }
  const standing = await sweep(await newCaller());
  expect(Object.fromEntries(standing.versions)).toEqual(last);
  expect(standing.rows).toBe(records);
}, 120_000);

/** What a poller knows of the rows, and whether one ever came again in an older version, or behind one that was served before. */
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

/** Follows resumeCursor from the beginning, as the documentation says. */
async function followCursors(caller: Caller): Promise<Seen> {
  const seen = new Seen();
  let asked: Record<string, string> = { sort: 'updatedAtAsc', includeInfoTier: 'true', limit: '300' };
  await untilComplete(seen, async () => {
    const { data, pagination } = await pageOf(caller, asked);
    seen.take(data);
    asked = { cursor: pagination.nextCursor ?? pagination.resumeCursor };
  });
  return seen;
}

/** Tiles closed windows, each from the end of the one before: a row on the edge comes twice. */
async function tileWindows(caller: Caller): Promise<Seen> {
  const seen = new Seen();
  let from = new Date(Date.now() - 60_000).toISOString();
  await untilComplete(seen, async () => {
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

/** Everything that stands, once. */
async function sweep(caller: Caller): Promise<Seen> {
  const seen = new Seen();
  let asked: Record<string, string> = { sort: 'updatedAtAsc', includeInfoTier: 'true', limit: '1000' };
  for (;;) {
    const { data, pagination } = await pageOf(caller, asked);
    seen.take(data);
    if (pagination.nextCursor === null) return seen;
    asked = { cursor: pagination.nextCursor };
  }
}

interface Page {
  readonly data: readonly { id: string; version: number; updatedAt: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: the envelope as it came
  readonly pagination: any;
}

async function pageOf(caller: Caller, parameters: Record<string, string>): Promise<Page> {
  const { status, body, text } = await caller.get('/detections', parameters);
  if (status !== 200) throw new Error(text);
  return body;
}

async function untilComplete(seen: Seen, poll: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!seen.isComplete()) {
    if (performance.now() > deadline) throw new Error(`after ${patienceMs} ms ${seen.versions.size} records are seen`);
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

import type { CollectionGap } from '@tenantscope/store/collect';
import { expect, test } from 'vitest';
import { okta } from '../src/provider/okta.ts';
import type { StreamInput } from '../src/provider/provider.ts';

const dayMs = 86_400_000;
const createdAtMs = Date.UTC(2026, 10, 20);
const url = 'https://example.okta.com';

/** A run of a log without events whose cursors are refused: the gaps that it reports. */
async function runAfter(days: number, more: Partial<StreamInput> = {}): Promise<CollectionGap[]> {
  const nowMs = createdAtMs + days * dayMs;
  const send: StreamInput['send'] = async (request) => {
    const isCursor = new URL(request.url).searchParams.has('after');
    return { status: isCursor ? 404 : 200, headers: new Headers(), body: Buffer.from(isCursor ? '{}' : '[]') };
  };
  const stream = { stream: 'system-log', url, settings: {}, secret: 'token', position: null, completedAtMs: null };
  const input = {
    ...stream,
    createdAtMs,
    startAtMs: createdAtMs - 90 * dayMs,
    nowMs,
    send,
    clockAheadMs: () => 0,
    ...more,
  };
  const gaps: CollectionGap[] = [];
  for await (const page of okta.readPages(input)) gaps.push(...(page.gaps ?? []));
  return gaps;
}

const at = (ms: number) => new Date(ms).toISOString();
const oldestMs = (days: number) => createdAtMs + (days - 90) * dayMs + 3_600_000;

test('a first run that succeeds late has a gap from the start of the collector on', async () => {
  expect(await runAfter(0)).toEqual([]);
  expect(await runAfter(100)).toMatchObject([{ from: at(createdAtMs - 90 * dayMs), to: at(oldestMs(100)) }]);
});

test('a cursor that is lost before the first event has a gap only from the last complete run on', async () => {
  const position = { next: '/api/v1/logs?after=lost', newestMs: null };
  const completedAtMs = createdAtMs + dayMs;
  expect(await runAfter(50, { position, completedAtMs })).toEqual([]);
  expect(await runAfter(100, { position, completedAtMs })).toMatchObject([
    { from: at(completedAtMs), to: at(oldestMs(100)) },
  ]);
});

test('a cursor that is lost after a long time without events has no gap: runs found nothing newer', async () => {
  const position = { next: '/api/v1/logs?after=lost', newestMs: createdAtMs + dayMs };
  expect(await runAfter(100, { position, completedAtMs: createdAtMs + 99 * dayMs })).toEqual([]);
});

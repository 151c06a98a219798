import { expect, test } from 'vitest';
import { ProviderFailure } from '../src/provider/provider-failure.ts';
import { createEntryFailures } from '../src/provider/window/entry-failures.ts';
import type { WindowSource } from '../src/provider/window/window-source.ts';
import { hourMs, minuteMs, Provider, Stream, startMs, times } from './window-stream.ts';

test('an entry that fails in run after run is a gap, the others are published, and it is when it is listed again later', async () => {
  const provider = new Provider();
  const stream = new Stream();
  await stream.run(provider);
  const timeMs = provider.nowMs + minuteMs;
  provider.nowMs += 2 * minuteMs;
  for (const id of ['e0', 'broken', 'e1']) provider.events.push({ id, timeMs, listedAtMs: timeMs });
  provider.broken.add('broken');
  for (let run = 1; run < 12; run++) {
    provider.nowMs += minuteMs;
    Object.assign(stream, { progress: 0 });
    await expect(stream.run(provider)).rejects.toThrow('broken content');
    expect(stream).toMatchObject({ published: ['e0', 'e1'], gaps: [], progress: run === 1 ? 1 : 0 });
  }
  provider.nowMs += minuteMs;
  await stream.run(provider);
  const at = new Date(timeMs).toISOString();
  expect(stream.published).toEqual(['e0', 'e1']);
  expect(stream.gaps).toEqual([
    { from: at, to: at, reason: 'content that could not be fetched in 12 runs: broken content' },
  ]);
  // Listed again by each run of the next hour and by rereads: neither another failure nor another gap.
  provider.nowMs += 2 * hourMs;
  await stream.run(provider);
  expect(stream.gaps).toHaveLength(1);
  provider.broken.clear();
  provider.nowMs += hourMs;
  await stream.run(provider);
  expect(stream.published).toEqual(['e0', 'e1', 'broken']);
  expect(stream.position).toMatchObject({ failures: [] });
});

test('entries that fail delay no other of their page, however many they are', async () => {
  const entries = Array.from({ length: 60 }, (_, index) => ({ id: `e${index}`, isBroken: index < 25 || index === 40 }));
  const good = entries.flatMap(({ id, isBroken }) => (isBroken ? [] : id));
  const requested: string[] = [];
  const source: WindowSource = {
    ...times,
    list: async () => ({
      entries: entries.map(({ id, isBroken }) => ({
        ...{ id, timeMs: startMs - minuteMs },
        load() {
          requested.push(id);
          if (isBroken) throw new ProviderFailure('unavailable', 'broken content');
          return { records: [Buffer.from(id)], gaps: [] };
        },
      })),
      next: null,
    }),
  };
  const provider = Object.assign(new Provider(), { source });
  const stream = Object.assign(new Stream(), { startAtMs: startMs - hourMs });
  for (let run = 0; run < 3; run++) await expect(stream.run(provider)).rejects.toThrow('broken content');
  expect(stream.published).toEqual(good);
  // Ten requests for broken ones in each run, however many there are.
  expect(requested).toHaveLength(good.length + 30);
  let runs = 3;
  for (; stream.gaps.length < 26 && runs < 60; runs++) await stream.run(provider).catch(() => {});
  expect([stream.gaps.length, runs < 40]).toEqual([26, true]);
  await stream.run(provider);
  expect(stream.published).toEqual(good);
});

test('a rate limit ends the run at its entry, also after entries that fail', async () => {
  const failing: Record<string, ProviderFailure> = {
    e1: new ProviderFailure('unavailable', 'broken content'),
    e2: new ProviderFailure('throttled', 'too many requests', 30_000),
  };
  const requested: string[] = [];
  const source: WindowSource = {
    ...times,
    list: async () => ({
      entries: ['e0', 'e1', 'e2', 'e3'].map((id) => ({
        ...{ id, timeMs: startMs - minuteMs },
        load() {
          requested.push(id);
          if (failing[id] !== undefined) throw failing[id];
          return { records: [Buffer.from(id)], gaps: [] };
        },
      })),
      next: null,
    }),
  };
  const stream = Object.assign(new Stream(), { startAtMs: startMs - hourMs });
  const run = stream.run(Object.assign(new Provider(), { source }));
  await expect(run).rejects.toMatchObject({ kind: 'throttled', waitMs: 30_000 });
  expect([stream.published, requested]).toEqual([['e0'], ['e0', 'e1', 'e2']]);
});

test('a rate limit, or a refusal of the whole stream, is never a gap of an entry', async () => {
  for (const kind of ['throttled', 'refused'] as const) {
    const failures = createEntryFailures(null);
    for (let run = 0; run < 20; run++)
      expect(failures.count({ id: 'e', timeMs: startMs }, new ProviderFailure(kind, 'a failure'))).toBeNull();
  }
});

// @module-tag exhaustive
import { describe, expect, test } from 'vitest';
import { ProviderFailure } from '../src/provider/provider-failure.ts';
import { createPublishedKeys } from '../src/provider/window/published-keys.ts';
import type { WindowSource } from '../src/provider/window/window-source.ts';
import { dayMs, hourMs, minuteMs, Provider, Stream, startMs, times } from './window-stream.ts';

/** A reproducible sequence of numbers from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

describe.each([
  { tags: [], seeds: seeds.slice(0, 2) },
  { tags: ['exhaustive'], seeds: seeds.slice(2) },
])('with seeds $seeds', ({ tags, seeds }) => {
  test.each(seeds)(
    'events that are listed up to 40 hours late are published, with kills, failures and expired links (seed %i)',
    { tags },
    async (seed) => {
      const random = createRandom(seed);
      const provider = new Provider();
      const stream = new Stream();
      let number = 0;
      for (let at = 0; at < 40; at++) {
        for (let count = 0; count < 12; count++) {
          const timeMs = provider.nowMs - random() * 2 * hourMs;
          const lateMs = random() < 0.7 ? random() * 10 * minuteMs : random() * 40 * hourMs;
          provider.events.push({ id: `e${number++}`, timeMs, listedAtMs: timeMs + lateMs });
        }
        if (random() < 0.3) provider.failing = `e${Math.floor(random() * number)}`;
        if (random() < 0.3) provider.generation += 1;
        await stream.run(provider, random() < 0.5 ? Math.floor(random() * 6) : undefined).catch(() => {});
        provider.nowMs += random() * 3 * hourMs;
      }
      // Until everything is listed and read. The bound: 72 hours back, less a day between rereads and the time between runs.
      for (let run = 0; run < 30; run++) {
        provider.nowMs += 3 * hourMs;
        await stream.run(provider).catch(() => {});
      }
      const expected = provider.events.map(({ id }) => id).toSorted();
      expect([...new Set(stream.published)].toSorted()).toEqual(expected);
      // Repeated only where a run was killed before its position was stored.
      expect(stream.published.length).toBeLessThan(expected.length + 40 * 3);
      expect(stream.gaps).toEqual([]);
    },
  );
});

test('an entry that is listed late is published by the next run, also of a stream without rereads', async () => {
  const provider = new Provider();
  Object.assign(provider.source, { rereads: [] });
  const stream = new Stream();
  const [timeMs, listedAtMs] = [startMs - 30 * minuteMs, startMs + minuteMs];
  provider.events.push({ id: 'late', timeMs, listedAtMs });
  for (let run = 0; run < 3; run++, provider.nowMs += 10 * minuteMs) await stream.run(provider);
  expect(stream.published).toEqual(['late']);
});

test('a run that finds nothing new lists the overlap once', async () => {
  const provider = new Provider();
  const stream = new Stream();
  await stream.run(provider);
  provider.listings = 0;
  provider.nowMs += 5 * minuteMs;
  await stream.run(provider);
  expect(provider.listings).toBe(1);
});

test('a page that is too large is listed with fewer records, and later windows with more', async () => {
  const provider = new Provider();
  const { list } = provider.source;
  const sizes: number[] = [];
  Object.assign(provider.source, {
    list: async (fromMs: number, toMs: number, next: string | null, pageMax: number) => {
      const listing = await list(fromMs, toMs, next, pageMax);
      if (listing === 'expired' || listing.entries.length === 0) return listing;
      sizes.push(pageMax);
      // The second page has the large records.
      if (next !== null && pageMax > 4) throw new ProviderFailure('tooLarge', 'a failure of the test');
      return listing;
    },
  });
  for (let index = 0; index < 5; index++)
    provider.events.push({ id: `e${index}`, timeMs: startMs - 5 * hourMs - index, listedAtMs: 0 });
  const stream = new Stream();
  await stream.run(provider);
  expect(sizes.slice(0, 6)).toEqual([64, 64, 16, 16, 4, 4]);
  expect(stream.published.toSorted()).toEqual(['e0', 'e1', 'e2', 'e3', 'e4']);
  for (let run = 0; run < 2; run++) {
    provider.nowMs += 1;
    await stream.run(provider);
  }
  expect(stream.position).toMatchObject({ pageMax: 64 });
});

/** A provider that does not respond in time to listings of more than `records` records or of longer than a time. */
function limitListings(provider: Provider, { records, timeMs }: { records: number; timeMs: number }): number[] {
  const { list } = provider.source;
  const listed: number[] = [];
  Object.assign(provider.source, {
    list: async (fromMs: number, toMs: number, next: string | null, pageMax: number) => {
      if (pageMax > records || toMs - fromMs > timeMs)
        throw new ProviderFailure('unavailable', 'no complete response within 60 s');
      listed.push(toMs - fromMs);
      return list(fromMs, toMs, next, pageMax);
    },
  });
  return listed;
}

test.each([
  { what: 'a first listing', isFirst: true },
  { what: 'a later one', isFirst: false },
])('$what that fails in run after run is requested with fewer records and in shorter parts', async ({ isFirst }) => {
  const provider = new Provider();
  Object.assign(provider.source, { pageMax: 999 });
  const stream = new Stream();
  if (!isFirst) {
    await stream.run(provider);
    provider.nowMs += dayMs - 2 * hourMs;
  }
  for (let index = 0; index < 50; index++) {
    const timeMs = provider.nowMs - index * 20 * minuteMs;
    provider.events.push({ id: `e${index}`, timeMs: timeMs - 1, listedAtMs: 0 });
  }
  limitListings(provider, { records: 100, timeMs: 30 * minuteMs });
  let runs = 0;
  for (let isComplete = false; !isComplete; runs++) {
    isComplete = await stream.run(provider).then(
      () => true,
      () => false,
    );
    expect(runs).toBeLessThan(isFirst ? 250 : 40);
  }
  expect(stream.published.toSorted()).toEqual(provider.events.map(({ id }) => id).toSorted());
  expect(stream.position).toMatchObject({ throughMs: provider.nowMs, window: null, failed: 0 });
  expect(stream.gaps).toEqual([]);
});

test('a listing that failed once is requested unchanged, at its page', async () => {
  const provider = new Provider();
  const stream = new Stream();
  await stream.run(provider);
  provider.nowMs += 2 * hourMs;
  const timeMs = provider.nowMs - minuteMs;
  for (let index = 0; index < 5; index++) provider.events.push({ id: `e${index}`, timeMs, listedAtMs: 0 });
  const { list } = provider.source;
  let failures = 0;
  Object.assign(provider.source, {
    list: async (fromMs: number, toMs: number, next: string | null, pageMax: number) => {
      if (next !== null && failures++ === 0) throw new ProviderFailure('unavailable', 'a failure of the test');
      return list(fromMs, toMs, next, pageMax);
    },
  });
  await expect(stream.run(provider)).rejects.toThrow('a failure of the test');
  expect(stream.position).toMatchObject({ failed: 1, window: { next: expect.any(String) }, pageMax: 64 });
  await stream.run(provider);
  expect(stream.published).toHaveLength(5);
});

test('a first listing that fails for days has one gap, once it succeeds', async () => {
  const provider = new Provider();
  const stream = new Stream();
  const { list } = provider.source;
  const fail: WindowSource['list'] = async () => {
    throw new ProviderFailure('unavailable', 'a failure of the test');
  };
  Object.assign(provider.source, { list: fail });
  for (let day = 0; day < 10; day++) {
    provider.nowMs += dayMs;
    await expect(stream.run(provider)).rejects.toThrow('a failure of the test');
  }
  expect(stream.gaps).toEqual([]);
  Object.assign(provider.source, { list });
  await stream.run(provider);
  const from = new Date(startMs - times.retentionMs).toISOString();
  expect(stream.gaps).toMatchObject([{ from, reason: 'too old' }]);
});

test('pages before a reread that fails each time are no progress, those of a first listing are', async () => {
  const provider = new Provider();
  const stream = new Stream();
  await stream.run(provider);
  expect(stream.progress).toBeGreaterThan(20);
  const { list } = provider.source;
  Object.assign(provider.source, {
    list: async (fromMs: number, toMs: number, next: string | null, pageMax: number) => {
      if (fromMs < provider.nowMs - 4 * hourMs) throw new ProviderFailure('unavailable', 'a failure of the test');
      return list(fromMs, toMs, next, pageMax);
    },
  });
  provider.nowMs += 2 * hourMs;
  await expect(stream.run(provider)).rejects.toThrow('a failure of the test');
  Object.assign(stream, { progress: 0, published: [] });
  for (const id of ['e0', 'e1']) {
    provider.nowMs += minuteMs;
    provider.events.push({ id, timeMs: provider.nowMs - 1, listedAtMs: provider.nowMs });
    await expect(stream.run(provider)).rejects.toThrow('a failure of the test');
  }
  expect(stream).toMatchObject({ progress: 0, published: ['e0', 'e1'] });
});

test('what is new is published while a later window of a reread fails in each run', async () => {
  const provider = new Provider();
  const stream = new Stream();
  await stream.run(provider);
  const { list } = provider.source;
  // In the fifth of the twelve windows of the daily reread.
  const failingMs = startMs - dayMs;
  let isFailing = true;
  Object.assign(provider.source, {
    list: async (fromMs: number, toMs: number, next: string | null, pageMax: number) => {
      if (isFailing && fromMs <= failingMs && toMs > failingMs)
        throw new ProviderFailure('invalid', 'a failure of the test');
      return list(fromMs, toMs, next, pageMax);
    },
  });
  provider.nowMs += dayMs;
  await expect(stream.run(provider)).rejects.toThrow('a failure of the test');
  const progress = stream.progress;
  const ids = ['e0', 'e1', 'e2'];
  for (const id of ids) {
    provider.nowMs += hourMs;
    provider.events.push({ id, timeMs: provider.nowMs - minuteMs, listedAtMs: provider.nowMs });
    await expect(stream.run(provider)).rejects.toThrow('a failure of the test');
  }
  expect(stream.published).toEqual(ids);
  expect(stream.progress).toBe(progress);

  // The reread goes on at the window that failed.
  provider.events.push({ id: 'late', timeMs: failingMs, listedAtMs: provider.nowMs });
  isFailing = false;
  await stream.run(provider);
  expect(stream.published).toEqual([...ids, 'late']);
  expect(stream.position).toMatchObject({ window: null, reread: null });
});

test('a reread of a position that a former version stored goes on', async () => {
  const provider = new Provider();
  const stream = new Stream();
  await stream.run(provider);
  const { nowMs } = provider;
  const window = { reread: 1, startedMs: nowMs, fromMs: nowMs - dayMs, toMs: nowMs - dayMs + hourMs, next: null };
  stream.position = { ...(stream.position as object), window, reread: undefined };
  provider.events.push({ id: 'late', timeMs: nowMs - dayMs + minuteMs, listedAtMs: nowMs });
  await stream.run(provider);
  expect(stream.published).toEqual(['late']);
  expect(stream.position).toMatchObject({ window: null, reread: null });
});

test('events are published when a clock that was ahead by days is set back', async () => {
  const provider = new Provider();
  const stream = new Stream();
  let number = 0;
  const run = async (aheadMs: number) => {
    const { nowMs } = provider;
    provider.events.push({ id: `e${number++}`, timeMs: nowMs - minuteMs, listedAtMs: nowMs });
    provider.nowMs += aheadMs;
    await stream.run(provider);
    provider.nowMs = nowMs + 2 * hourMs;
  };
  for (const aheadDays of [0, 2, 2, 0, 0, 0]) await run(aheadDays * dayMs);
  expect(stream.published.toSorted()).toEqual(provider.events.map(({ id }) => id));
  expect(stream.position).toMatchObject({ throughMs: provider.nowMs - 2 * hourMs });
  expect(stream.gaps).toEqual([]);
});

test('what is older than the retention is a gap, and a stored window before it is dropped', async () => {
  const provider = new Provider();
  for (let index = 0; index < 9; index++) {
    const timeMs = startMs - dayMs - index;
    provider.events.push({ id: `e${index}`, timeMs, listedAtMs: timeMs });
  }
  const stream = new Stream();
  await stream.run(provider, 26);
  expect(stream.position).toMatchObject({ window: { next: expect.any(String) } });
  const { throughMs } = stream.position as { throughMs: number };
  provider.nowMs += 30 * dayMs;
  await stream.run(provider);
  const oldestMs = provider.nowMs - times.retentionMs;
  expect(stream.gaps).toEqual([
    { from: new Date(throughMs).toISOString(), to: new Date(oldestMs).toISOString(), reason: 'too old' },
  ]);
  expect(stream.position).toMatchObject({ throughMs: provider.nowMs, window: null });
});

describe('at the first run that succeeds, what is older than the retention', () => {
  const runAfter = async (lateMs: number, stream = new Stream()) => {
    const provider = new Provider();
    provider.nowMs += lateMs;
    await stream.run(provider);
    await stream.run(provider);
    return stream.gaps.map(({ from, to }) => [from, to].map((at) => (Date.parse(at) - startMs) / hourMs));
  };

  test('is no gap soon after the creation', async () => {
    expect(await runAfter(0)).toEqual([]);
    expect(await runAfter(hourMs)).toEqual([]);
  });

  test('is one gap from the start of the collector on, long after the creation', async () => {
    expect(await runAfter(10 * dayMs)).toEqual([[-7 * 24, 3 * 24 + 1]]);
  });

  test('is one gap from a start that the operator chose before', async () => {
    const stream = Object.assign(new Stream(), { startAtMs: startMs - 8 * dayMs });
    expect(await runAfter(0, stream)).toEqual([[-8 * 24, -7 * 24 + 1]]);
  });

  test('is a gap without an allowance, if it is younger than the collector', async () => {
    const startingAtCreation = () => Object.assign(new Stream(), { startAtMs: startMs });
    expect(await runAfter(times.firstMs, startingAtCreation())).toEqual([]);
    expect(await runAfter(times.firstMs + minuteMs, startingAtCreation())).toEqual([[0, 1 / 60]]);
  });
});

test('runs that fail report no gap and store no position', async () => {
  const provider = new Provider();
  const { list } = provider.source;
  const refuse: WindowSource['list'] = async () => {
    throw new ProviderFailure('refused', 'a failure of the test');
  };
  const stream = new Stream();
  Object.assign(provider.source, { list: refuse });
  for (let day = 0; day < 10; day++) {
    provider.nowMs += dayMs;
    await expect(stream.run(provider)).rejects.toThrow('a failure of the test');
  }
  expect(stream).toMatchObject({ position: null, gaps: [] });
  Object.assign(provider.source, { list });
  await stream.run(provider);
  expect(stream.gaps).toHaveLength(1);
});

test('a page that links to itself ends the run', async () => {
  const stream = new Stream();
  const provider = new Provider();
  const source: WindowSource = { ...times, list: async () => ({ entries: [], next: 'again' }) };
  Object.assign(provider, { source });
  await expect(stream.run(provider)).rejects.toThrow('api.example.com repeats a page of a listing');
  const expired: WindowSource = {
    ...times,
    list: async (_, __, next) => (next === null ? { entries: [], next: 'n' } : 'expired'),
  };
  Object.assign(provider, { source: expired });
  await expect(new Stream().run(provider)).rejects.toThrow('api.example.com refuses its own next page');
});

test('published keys are stored by the hour, and forgotten by time and above the limit', () => {
  const keys = createPublishedKeys(null);
  for (let index = 0; index < 60_000; index++) keys.add(`e${index}`, startMs + index * 1_000);
  keys.forget(startMs + hourMs);
  const stored = createPublishedKeys(JSON.parse(JSON.stringify(keys.store())));
  expect(stored.has('e59999')).toBe(true);
  // 60,000 keys of 17 hours: the oldest hours above 50,000 are forgotten.
  expect(stored.has('e10799')).toBe(false);
  expect(stored.has('e10800')).toBe(true);
  expect(JSON.stringify(keys.store()).length).toBeLessThan(600_000);
});

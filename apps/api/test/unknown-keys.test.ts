import { randomBytes } from 'node:crypto';
import type { KeyDirectory } from '@tenantscope/store/api-key';
import { StoreUnavailable } from '@tenantscope/store/connection';
import { expect, test, vi } from 'vitest';
import { guardKeyDirectory } from '../src/auth/unknown-keys.ts';
import { keysPerCheck, unknownKeyTtlMs, waitingKeysMax } from '../src/limits.ts';
import { testKey } from './test-app.ts';

const hashes = (count: number) => Array.from({ length: count }, () => randomBytes(32));

/** A directory that records its queries; checks wait for `release` once blocked. */
function recordingDirectory(existing: readonly Buffer[]) {
  const checks: number[] = [];
  const lookUps: string[] = [];
  const present = new Set(existing.map((hash) => hash.toString('hex')));
  let gate: PromiseWithResolvers<void> | null = null;
  const directory: KeyDirectory = {
    async findExisting(batch) {
      checks.push(batch.length);
      await gate?.promise;
      return batch.filter((hash) => present.has(hash.toString('hex')));
    },
    async lookUp(hash) {
      lookUps.push(hash.toString('hex'));
      return present.has(hash.toString('hex')) ? testKey : null;
    },
    addUsage: async () => {},
    findTimeZone: async () => 'UTC',
    ping: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  return {
    guarded: guardKeyDirectory(directory),
    checks,
    lookUps,
    present,
    block: () => {
      gate = Promise.withResolvers();
    },
    release: () => gate?.resolve(),
  };
}

test('an unknown key is checked once, however often it is sent', async () => {
  const { guarded, checks, lookUps } = recordingDirectory([]);
  const [hash] = hashes(1) as [Buffer];
  for (let n = 0; n < 5; n += 1) expect(await guarded.lookUp(hash, null, false)).toBeNull();
  await Promise.all(Array.from({ length: 50 }, () => guarded.lookUp(hash, null, false)));
  expect({ checks, lookUps }).toEqual({ checks: [1], lookUps: [] });
});

test('an unknown key is checked again after its time', async () => {
  const start = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(start);
  // The cache reads the clock once a millisecond.
  const advance = (ms: number) => {
    clock.mockReturnValue(start + ms);
    return new Promise((resolve) => setTimeout(resolve, 5));
  };
  try {
    const { guarded, checks, present } = recordingDirectory([]);
    const [hash] = hashes(1) as [Buffer];
    expect(await guarded.lookUp(hash, null, false)).toBeNull();
    present.add(hash.toString('hex'));
    await advance(unknownKeyTtlMs - 100);
    expect(await guarded.lookUp(hash, null, false)).toBeNull();
    await advance(unknownKeyTtlMs + 100);
    expect(await guarded.lookUp(hash, null, false)).toBe(testKey);
    expect(checks).toEqual([1, 1]);
  } finally {
    clock.mockRestore();
  }
});

test('a flood of different unknown keys is one statement at a time, and an existing key is found in it', async () => {
  const [existing, ...unknown] = hashes(1_201) as [Buffer, ...Buffer[]];
  const { guarded, checks, lookUps, block, release } = recordingDirectory([existing]);
  block();
  const results = [...unknown, existing].map((hash) => guarded.lookUp(hash, null, false));
  expect(checks).toEqual([1]);
  release();
  const found = await Promise.all(results);
  expect(found.filter((record) => record !== null)).toEqual([testKey]);
  expect(checks).toEqual([1, keysPerCheck, keysPerCheck, 200]);
  expect(lookUps).toEqual([existing.toString('hex')]);
});

test('a key that was found before does not wait for the check of unknown keys', async () => {
  const [existing, unknown] = hashes(2) as [Buffer, Buffer];
  const { guarded, lookUps, block, release } = recordingDirectory([existing]);
  expect(await guarded.lookUp(existing, null, false)).toEqual(testKey);
  block();
  const waiting = guarded.lookUp(unknown, null, false);
  expect(await guarded.lookUp(existing, null, false)).toEqual(testKey);
  expect(lookUps).toHaveLength(2);
  release();
  expect(await waiting).toBeNull();
});

test('more keys than may wait are refused with 503, and those that wait are checked', async () => {
  const { guarded, block, release } = recordingDirectory([]);
  block();
  const results = hashes(waitingKeysMax + 2).map((hash) => guarded.lookUp(hash, null, false));
  await expect(results.at(-1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  release();
  const outcomes = await Promise.allSettled(results);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
});

test('a key is not taken for unknown while the directory is unavailable', async () => {
  const [hash] = hashes(1) as [Buffer];
  let available = false;
  const { guarded, present } = recordingDirectory([hash]);
  const failing = guardKeyDirectory({
    ...guarded,
    findExisting: async (batch) => {
      if (!available) throw new StoreUnavailable('no directory');
      return [...batch];
    },
    lookUp: async () => (present.has(hash.toString('hex')) ? testKey : null),
  });
  await expect(failing.lookUp(hash, null, false)).rejects.toThrow(StoreUnavailable);
  available = true;
  expect(await failing.lookUp(hash, null, false)).toEqual(testKey);
});

test('the directory remembers the id of a key that it found, ended or not', async () => {
  const [existing, ended, unknown] = hashes(3) as [Buffer, Buffer, Buffer];
  const { guarded: one } = recordingDirectory([existing]);
  const guarded = guardKeyDirectory({
    ...one,
    findExisting: async (batch) => batch.filter((hash) => hash !== unknown),
    lookUp: async (hash) => (hash === existing ? testKey : hash === ended ? { endedKeyId: 'ended' } : null),
  });
  expect([existing, ended, unknown].map(guarded.findId)).toEqual([null, null, null]);
  for (const hash of [existing, ended, unknown]) await guarded.lookUp(hash, null, false);
  expect([existing, ended, unknown].map(guarded.findId)).toEqual([testKey.keyId, 'ended', null]);
});

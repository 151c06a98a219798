import { ApiError } from '@tenantscope/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queuedReads, readsPerKey, readsPerTenant } from '../src/limits.ts';
import { type ConcurrencyLimits, createConcurrencyLimiter, type Refusal } from '../src/throttling/concurrency-limit.ts';
import { createDocumentLimiter } from '../src/throttling/document-limiter.ts';
import type { SlotOwner } from '../src/throttling/group-counter.ts';
import { createReadLimiter } from '../src/throttling/read-limiter.ts';
import { createStatementPacing } from '../src/throttling/statement-pacing.ts';

const observer = { admitted() {}, refused() {} };
const contention = { addRequest() {}, addExcess() {}, getShare: () => 1, contendedShare: 0.25 };
const options = { overloaded: () => false, contention, pacing: createStatementPacing(contention), observer };
const patient = new AbortController().signal;
const nextTurn = () => new Promise(setImmediate);

const ownerOf = (tenantId: string, keyId = `key of ${tenantId}`, organizationId: string | null = null): SlotOwner => ({
  keyId,
  tenantId,
  organizationId,
});

/** Work that ends when the test lets it; `started` lists it in the order in which it began. */
function createWork() {
  const started: string[] = [];
  const finish: (() => void)[] = [];
  return {
    started,
    finish,
    start: (name: string) => () => {
      started.push(name);
      return new Promise<void>((resolve) => finish.push(resolve));
    },
  };
}

const limits = {
  total: 4,
  per: { tenant: 2, organization: 3 },
  timeBudget: {
    sustained: 1,
    burstMs: 1_000,
    contended: { key: 1, tenant: 1, isReduced: true },
    isUsualTimeFree: false,
  },
  queued: 64,
  queuedTotal: 512,
  queueTimeoutMs: 60_000,
  restsBeforeFirst: false,
  waitMaxMs: 10_000,
};
/** The clock is at 0 unless the test moves it. */
const createLimiter = (changed: Partial<ConcurrencyLimits> = {}, now = () => 0) =>
  createConcurrencyLimiter({
    ...options,
    now,
    limits: { ...limits, ...changed },
    refuse: ({ reason, limit }: Refusal) => new ApiError('SERVICE_UNAVAILABLE', `${reason} ${limit}`),
  });

test('the first request of a tenant is next, however many requests of another tenant wait', async () => {
  const limiter = createLimiter({ total: 1 });
  const { started, finish, start } = createWork();
  const all = ['busy', 'busy', 'busy', 'busy', 'quiet', 'third'].map((tenant) =>
    limiter.run(ownerOf(tenant), patient, start(tenant)),
  );
  while (started.length < all.length) {
    await nextTurn();
    finish.shift()?.();
  }
  await nextTurn();
  finish.shift()?.();
  await Promise.all(all);
  expect(started).toEqual(['busy', 'busy', 'quiet', 'third', 'busy', 'busy']);
});

test('a key over its limit does not delay another key of its tenant', async () => {
  const limiter = createLimiter({ per: { key: 1, tenant: 2 } });
  const { started, finish, start } = createWork();
  const all = [
    limiter.run(ownerOf('one', 'a'), patient, start('first of a')),
    limiter.run(ownerOf('one', 'a'), patient, start('second of a')),
    limiter.run(ownerOf('one', 'b'), patient, start('first of b')),
  ];
  await nextTurn();
  expect(started).toEqual(['first of a', 'first of b']);
  while (limiter.running > 0) {
    finish.shift()?.();
    await nextTurn();
  }
  await Promise.all(all);
});

test('no sequence of requests exceeds a limit, loses a slot or delays a request that could run', {
  tags: 'exhaustive',
}, async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('request' as const), tenant: fc.nat(3), key: fc.nat(1) }),
    fc.record({ kind: fc.constant('finish' as const), index: fc.nat(9) }),
    fc.record({ kind: fc.constant('abandon' as const), index: fc.nat(9) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const limiter = createLimiter({ per: { key: 1, tenant: 2, organization: 3 } });
      const running: { owner: SlotOwner; resolve: () => void }[] = [];
      const waiting: { owner: SlotOwner; disconnect: AbortController }[] = [];
      for (const one of steps) {
        if (one.kind === 'finish') running.splice(one.index, 1)[0]?.resolve();
        if (one.kind === 'abandon') waiting.splice(one.index, 1)[0]?.disconnect.abort();
        if (one.kind === 'request') {
          const owner = ownerOf(`${one.tenant}`, `${one.tenant}/${one.key}`, `${one.tenant % 2}`);
          const entry = { owner, disconnect: new AbortController() };
          waiting.push(entry);
          limiter
            .run(owner, entry.disconnect.signal, () => {
              waiting.splice(waiting.indexOf(entry), 1);
              return new Promise<void>((resolve) => running.push({ owner, resolve }));
            })
            .catch(() => {});
        }
        await nextTurn();
        expect([limiter.running, limiter.waiting]).toEqual([running.length, waiting.length]);
        const count = (name: keyof SlotOwner, owner: SlotOwner) =>
          running.filter((other) => other.owner[name] === owner[name]).length;
        const fits = (owner: SlotOwner, more: number) =>
          running.length + more <= 4 &&
          count('keyId', owner) + more <= 1 &&
          count('tenantId', owner) + more <= 2 &&
          count('organizationId', owner) + more <= 3;
        expect(running.every(({ owner }) => fits(owner, 0))).toBe(true);
        expect(waiting.filter(({ owner }) => fits(owner, 1))).toEqual([]);
      }
      for (const { disconnect } of waiting) disconnect.abort();
      for (const { resolve } of running) resolve();
      await nextTurn();
      expect([limiter.running, limiter.waiting]).toEqual([0, 0]);
    }),
    { numRuns: 200 },
  );
});

test('a client that disconnects while it waits gets the reason of its signal and frees its place', async () => {
  const limiter = createLimiter({ total: 1, queued: 1 });
  const { finish, start } = createWork();
  const first = limiter.run(ownerOf('one'), patient, start('first'));
  const disconnect = new AbortController();
  const second = limiter.run(ownerOf('one'), disconnect.signal, start('second'));
  await expect(limiter.run(ownerOf('one'), patient, start('third'))).rejects.toThrow('queue_full');
  disconnect.abort(new Error('disconnected'));
  await expect(second).rejects.toThrow('disconnected');
  const third = limiter.run(ownerOf('one'), patient, start('third'));
  finish.shift()?.();
  await first;
  await nextTurn();
  finish.shift()?.();
  await third;
});

test('a failing request frees its slot', async () => {
  const limiter = createLimiter({ total: 1 });
  for (let n = 0; n < 5; n += 1)
    await expect(limiter.run(ownerOf('one'), patient, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  await expect(limiter.run(ownerOf('one'), patient, async () => 'served')).resolves.toBe('served');
});

test('a tenant cannot occupy all slots for reading, with any number of keys', async () => {
  const limiter = createReadLimiter(16, options);
  const { started, finish, start } = createWork();
  const all = Array.from({ length: 3 * readsPerKey }, (_, n) =>
    limiter.run(ownerOf('busy', `key ${n % 3}`), patient, start('busy')),
  );
  await nextTurn();
  expect(started.length).toBe(readsPerTenant);
  await expect(limiter.run(ownerOf('quiet'), patient, async () => 'served')).resolves.toBe('served');
  while (limiter.running > 0) {
    finish.shift()?.();
    await nextTurn();
  }
  await Promise.all(all);
});

test('a full queue of reads refuses requests with 503 and Retry-After', async () => {
  const limiter = createReadLimiter(16, options);
  const { finish, start } = createWork();
  const all = Array.from({ length: readsPerKey + queuedReads }, () => limiter.run(ownerOf('one'), patient, start('')));
  const unavailable = { code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '1' } };
  await expect(limiter.run(ownerOf('one'), patient, start(''))).rejects.toMatchObject(unavailable);
  while (limiter.running > 0) {
    finish.shift()?.();
    await nextTurn();
  }
  await Promise.all(all);
});

test('an overloaded process runs requests while it has free slots, and refuses with 503 what would wait for one', async () => {
  const refused: string[] = [];
  const limiter = createReadLimiter(3, {
    ...options,
    overloaded: () => true,
    observer: { admitted() {}, refused: (reason) => refused.push(reason) },
  });
  const { finish, start } = createWork();
  const all = ['a', 'b', 'c'].map((tenant) => limiter.run(ownerOf(tenant), patient, start(tenant)));
  await expect(limiter.run(ownerOf('d'), patient, start('d'))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    headers: { 'Retry-After': '1' },
  });
  expect([limiter.running, limiter.waiting, refused]).toEqual([3, 0, ['overloaded']]);
  while (limiter.running > 0) {
    finish.shift()?.();
    await nextTurn();
  }
  await Promise.all(all);
  await expect(limiter.run(ownerOf('d'), patient, async () => 'served')).resolves.toBe('served');
});

test('a document that waits too long gets 429 behind its own tenant or organization, and 503 behind others', async () => {
  const limiter = createDocumentLimiter({ total: 3, perTenant: 1, perOrganization: 2, queueTimeoutMs: 1 }, options);
  const { finish, start } = createWork();
  const running = [
    limiter.run(ownerOf('a', 'a', 'one'), patient, start('')),
    limiter.run(ownerOf('b', 'b', 'one'), patient, start('')),
  ];
  const refusal = (owner: SlotOwner) => limiter.run(owner, patient, start('')).catch((error: unknown) => error);
  expect(await refusal(ownerOf('a', 'a', null))).toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringContaining('1 documents of this tenant'),
  });
  expect(await refusal(ownerOf('c', 'c', 'one'))).toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringContaining('2 documents of this organization'),
    headers: { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) },
  });
  running.push(limiter.run(ownerOf('d', 'd', 'two'), patient, start('')));
  expect(await refusal(ownerOf('e', 'e', null))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  for (const end of finish) end();
  await Promise.all(running);
});

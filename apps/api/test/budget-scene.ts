import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@tenantscope/contract';
import {
  type ConcurrencyLimits,
  createConcurrencyLimiter,
  refillIntervalMs,
} from '../src/throttling/concurrency-limit.ts';
import type { SlotOwner } from '../src/throttling/group-counter.ts';
import { createStatementPacing } from '../src/throttling/statement-pacing.ts';

const nextTurn = () => new Promise(setImmediate);
export const ownerOf = (tenantId: string, keyId = `key of ${tenantId}`): SlotOwner => ({
  keyId,
  tenantId,
  organizationId: null,
});

interface Callbacks {
  onStart?(): void;
  refuse?(error: unknown): unknown;
}

/** A limiter on a clock that the test moves, and requests that end when the test lets them. */
export function createScene(changed: Partial<ConcurrencyLimits> = {}) {
  let nowMs = 0;
  let isContended = false;
  const contention = {
    addRequest() {},
    addExcess() {},
    getShare: () => (isContended ? 0.25 : 1),
    contendedShare: 0.25,
  };
  const limiter = createConcurrencyLimiter({
    limits: {
      total: 16,
      per: { key: 8, tenant: 8 },
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
      ...changed,
    },
    overloaded: () => false,
    contention,
    pacing: createStatementPacing(contention, () => nowMs),
    refuse: ({ reason }) => new ApiError('SERVICE_UNAVAILABLE', reason),
    observer: { admitted() {}, refused() {} },
    now: () => nowMs,
  });
  const running = new Map<string, (() => void)[]>();
  return {
    send(owner: SlotOwner, count: number, { onStart = () => {}, refuse = () => {} }: Callbacks = {}) {
      const name = owner.tenantId;
      if (!running.has(name)) running.set(name, []);
      for (let n = 0; n < count; n++)
        limiter
          .run(owner, new AbortController().signal, () => {
            const { promise, resolve } = Promise.withResolvers<void>();
            onStart();
            running.get(name)?.push(resolve);
            return promise;
          })
          .catch(refuse);
    },
    async pass(ms: number) {
      await nextTurn();
      nowMs += ms;
    },
    setContended(is: boolean) {
      isContended = is;
    },
    /** Until the limiter has looked at its waiting requests again. */
    async lookAgain() {
      await sleep(refillIntervalMs + 5);
    },
    async finish(tenantId: string, count: number) {
      for (const end of running.get(tenantId)?.splice(0, count) ?? []) end();
      await nextTurn();
    },
    async count(tenantId: string) {
      await nextTurn();
      return running.get(tenantId)?.length ?? 0;
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { QueryTimedOut, type StatementRunner } from '@tenantscope/store/connection';
import { statementRestMaxMs, statementTurnMaxMs } from '../limits.ts';
import type { TenantContention } from './contention.ts';
import type { SlotOwner } from './group-counter.ts';
import { createPageAllowance } from './page-allowance.ts';

/**
 * While a tenant contends with others, its statements run one at a time in all pools of the process. After each one the tenant rests, so that its
 * statements run for its share of the time. Pages of a tenant that uses less than its share are read as if it did not contend: otherwise the tenants
 * whom the share protects rest for three quarters of the time as well, which was most of their delay.
 */
export interface StatementPacing {
  /** Runs the statements of one request. Rejects with the reason of the signal when it aborts before a statement runs. */
  forRequest(owner: SlotOwner, options: PacedRequest): StatementRunner;
}

export interface PacedRequest {
  /** Otherwise the first statement waits for other statements of its tenant only, and the next ones for its rest too. */
  readonly restsBeforeFirst: boolean;
  /**
   * All waits of the request together. Then a document ends with QueryTimedOut: its statements without rests were a burst of seconds that delayed
   * the pages of all others. The last parts of a page run without rests.
   */
  readonly waitMaxMs: number;
  readonly signal: AbortSignal;
  /** Called when a statement begins and ends waiting. */
  onWait(isWaiting: boolean): void;
}

interface Turn {
  /** Ends when no statement of the tenant runs. */
  last: Promise<void>;
  /** Statements that run or wait. */
  count: number;
  restUntilMs: number;
}

/** Tenants at rest are dropped above this number. */
const sweepFrom = 256;

export function createStatementPacing(
  contention: Pick<TenantContention, 'getShare' | 'contendedShare' | 'addExcess'>,
  now = () => performance.now(),
): StatementPacing {
  const turnByTenant = new Map<string, Turn>();
  const allowance = createPageAllowance(contention, now);

  const open = (tenantId: string): Turn => {
    const existing = turnByTenant.get(tenantId);
    if (existing) return existing;
    if (turnByTenant.size >= sweepFrom)
      for (const [other, { count, restUntilMs }] of turnByTenant)
        if (count === 0 && restUntilMs <= now()) turnByTenant.delete(other);
    const turn = { last: Promise.resolve(), count: 0, restUntilMs: Number.NEGATIVE_INFINITY };
    turnByTenant.set(tenantId, turn);
    return turn;
  };

  /** Resolves when no other statement of the tenant runs; call the result at the end. */
  const take = async (turn: Turn, signal: AbortSignal): Promise<() => void> => {
    const own = Promise.withResolvers<void>();
    const earlier = turn.last;
    turn.last = own.promise;
    turn.count += 1;
    const end = () => {
      turn.count -= 1;
      own.resolve();
    };
    try {
      // The server would end a transaction whose statement waits longer.
      await Promise.race([earlier, sleep(statementTurnMaxMs, undefined, { signal, ref: false })]);
      signal.throwIfAborted();
      return end;
    } catch (error) {
      end();
      throw error;
    }
  };

  /** The same after the rest of the tenant, which another statement may prolong meanwhile. */
  const takeAfterRest = async (turn: Turn, waitMaxMs: number, signal: AbortSignal): Promise<() => void> => {
    const untilMs = now() + waitMaxMs;
    for (;;) {
      const restMs = Math.min(turn.restUntilMs, untilMs) - now();
      if (restMs > 0) await sleep(restMs, undefined, { signal });
      const end = await take(turn, signal);
      if (turn.restUntilMs <= now() || untilMs <= now()) return end;
      end();
    }
  };

  return {
    forRequest(owner, { restsBeforeFirst, waitMaxMs, signal, onWait }) {
      let hasRests = restsBeforeFirst;
      let waitLeftMs = waitMaxMs;
      const isSpent = () => {
        const spent = allowance.isSpent(owner);
        if (spent) contention.addExcess(owner);
        return spent;
      };
      const isPaced = () => contention.getShare(owner) < 1 && (restsBeforeFirst || isSpent());
      const run = async <Value>(statement: () => Promise<Value>): Promise<Value> => {
        if (!isPaced()) return allowance.charge(owner, statement);
        if (restsBeforeFirst && waitLeftMs === 0) throw new QueryTimedOut('the statements waited too long to run');
        const turn = open(owner.tenantId);
        const waitedFromMs = now();
        onWait(true);
        const waiting = hasRests
          ? takeAfterRest(turn, Math.min(waitLeftMs, statementRestMaxMs), signal)
          : take(turn, signal);
        const end = await waiting
          .catch((error: unknown) => {
            throw signal.aborted ? signal.reason : error;
          })
          .finally(() => onWait(false));
        const startedMs = now();
        waitLeftMs = Math.max(0, waitLeftMs - (startedMs - waitedFromMs));
        try {
          return await allowance.charge(owner, statement);
        } finally {
          const endedMs = now();
          const restMs = (endedMs - startedMs) * (1 / contention.getShare(owner) - 1);
          hasRests = true;
          turn.restUntilMs = Math.max(turn.restUntilMs, endedMs + Math.min(restMs, statementRestMaxMs));
          end();
        }
      };
      return Object.assign(run, { isPaced });
    },
  };
}

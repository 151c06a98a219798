import { ApiError } from '@tenantscope/contract';
import type { Log } from '@tenantscope/runtime';
import { isUnavailable, readErrorCode, StoreUnavailable } from '@tenantscope/store/connection';
import type { Watermark } from '@tenantscope/store/read';
import type { Caller } from '../auth/caller.ts';
import type { Handlers, OperationResult } from '../invoke.ts';
import { replicaLagMaxMs } from '../limits.ts';
import type { ApiMetrics } from '../metrics.ts';
import type { TailWaitOptions } from '../records/tail-waits.ts';
import type { Replica } from './replica.ts';

/** A database and the handlers that read it. */
export interface ReadNode {
  readonly handlers: Handlers;
  readonly watermark: Pick<Watermark, 'settled' | 'waitUntilSettled'>;
}

export type ReplicaNode = ReadNode & { readonly watermark: Pick<Watermark, 'isArriving' | 'problem'> } & Pick<
    Replica,
    'name' | 'problem' | 'serverStartedMs'
  >;

export interface ReplicaRouting {
  readonly handlers: Handlers;
  /** Of every node that the next page may be read from. */
  readonly watermark: TailWaitOptions['watermark'];
  /** Updates the gauges and logs which replicas are used. */
  measure(): void;
}

/**
 * Routes each operation to the replica with the fewest running ones, and to the primary while no replica can be used. Every page is bounded by the
 * watermark of the node that it is read from, so a cursor may go from any node to any other. A replica that falls behind by more than `replicaLagMaxMs`
 * is not used until it has caught up. What a replica cannot serve is read from the primary: it failed, or does not have the record yet.
 */
export function createReplicaRouting(
  primary: ReadNode,
  replicas: readonly ReplicaNode[],
  {
    cell,
    metrics,
    log,
  }: { readonly cell: string; readonly metrics: ApiMetrics; readonly log: Pick<Log, 'info' | 'warn'> },
): ReplicaRouting {
  for (const { name } of replicas)
    for (const result of ['served', 'repeated']) metrics.replicaRequests.inc({ cell, replica: name, result }, 0);
  const nodes = replicas.map((replica) => ({ ...replica, running: 0, logged: null as string | null }));
  const readThrough = ({ watermark }: ReadNode) => watermark.settled('logs')?.throughMs ?? Number.NEGATIVE_INFINITY;
  const findUsable = () => {
    const newestMs = Math.max(...[primary, ...nodes].map(readThrough));
    return nodes.filter((node) => node.problem() === null && readThrough(node) >= newestMs - replicaLagMaxMs);
  };
  let turn = 0;
  /** Of several with equally few running requests each in its turn. */
  const choose = (tenantId: string | undefined) => {
    // Of a tenant that was moved here, a replica that is behind lacks rows below its watermark.
    const usable = findUsable().filter(({ watermark }) => tenantId === undefined || !watermark.isArriving(tenantId));
    const fewest = Math.min(...usable.map(({ running }) => running));
    const candidates = usable.filter(({ running }) => running === fewest);
    return candidates[turn++ % candidates.length];
  };

  type Handler = (caller: Pick<Caller, 'tenant'>, input: unknown) => Promise<OperationResult>;
  const route = (name: string): Handler => {
    const handlerOf = ({ handlers }: ReadNode) => (handlers as unknown as Record<string, Handler>)[name] as Handler;
    return async (caller, input) => {
      const node = choose(caller.tenant?.id);
      if (node === undefined) return handlerOf(primary)(caller, input);
      const startedMs = node.serverStartedMs();
      node.running += 1;
      try {
        const result = await handlerOf(node)(caller, input);
        if (node.serverStartedMs() !== startedMs) throw new StoreUnavailable('the replica was restarted meanwhile');
        metrics.replicaRequests.inc({ cell, replica: node.name, result: 'served' });
        return result;
      } catch (error) {
        if (!isRepeatedOnPrimary(error)) throw error;
        metrics.replicaRequests.inc({ cell, replica: node.name, result: 'repeated' });
      } finally {
        node.running -= 1;
      }
      return handlerOf(primary)(caller, input);
    };
  };
  const routed = Object.fromEntries(Object.keys(primary.handlers).map((name) => [name, route(name)]));
  return {
    handlers: replicas.length === 0 ? primary.handlers : (routed as unknown as Handlers),
    watermark: {
      settled: primary.watermark.settled,
      async waitUntilSettled(...wait) {
        const usable = findUsable();
        const readFrom = usable.length === 0 ? [primary] : usable;
        return (await Promise.all(readFrom.map(({ watermark }) => watermark.waitUntilSettled(...wait)))).every(Boolean);
      },
    },
    measure() {
      const usable = findUsable();
      const now = primary.watermark.settled('logs')?.databaseNowMs;
      for (const node of nodes) {
        const isUsed = usable.includes(node);
        const lagSeconds = now === undefined ? Number.NaN : (now - readThrough(node)) / 1_000;
        metrics.replicaLag.set({ cell, replica: node.name }, lagSeconds);
        metrics.replicaUsed.set({ cell, replica: node.name }, isUsed ? 1 : 0);
        const problem = node.problem() ?? (isUsed ? null : node.watermark.problem());
        const state = isUsed ? 'used' : `left out: ${problem}`;
        if (state === node.logged) continue;
        node.logged = state;
        if (isUsed) log.info({ cell, replica: node.name }, 'reading from replica');
        else log.warn({ cell, replica: node.name, lagSeconds, problem }, 'replica left out');
      }
    },
  };
}

/** A standby cancels statements that conflict with replay (40001). */
const isRepeatedOnPrimary = (error: unknown): boolean =>
  error instanceof ApiError ? error.code === 'NOT_FOUND' : isUnavailable(error) || readErrorCode(error) === '40001';

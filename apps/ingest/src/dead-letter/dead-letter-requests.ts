import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@tenantscope/runtime';
import {
  claimDeadLetterRequest,
  type DeadLetterRequest,
  type DeadLetterResult,
  maxReplaysPerSecond,
  recordDeadLetterResults,
  releaseDeadLetterRequest,
} from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import { isTransientError } from '../retry.ts';
import { createDeadLetterExecutor, type DeadLetterExecutorOptions } from './dead-letter-executor.ts';

const pollMs = 2_000;
/** Results are recorded so often, which also extends the claim of this process. */
const recordIntervalMs = 5_000;
const refreshIntervalMs = 250;
/** The longest wait for the results of replays; later changes show in the state of each dead letter. */
const longestWaitMs = 20_000;
const stopTimeoutMs = 3_000;

export interface DeadLetterRequestOptions extends DeadLetterExecutorOptions {
  metrics: IngestMetrics;
  log: Log;
}

/** Executes administrators' requests about dead letters. Runs in every process; each request is claimed by one of them. */
export function processDeadLetterRequests(options: DeadLetterRequestOptions): AsyncDisposable {
  const { control, cell, metrics, log } = options;
  const holder = randomUUID();
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      let isDone = false;
      try {
        const request = await claimDeadLetterRequest(control, cell, holder);
        isDone = request !== null && (await processRequest(options, holder, request, stopping.signal));
      } catch (error) {
        if (!isTransientError(error)) log.error({ err: error }, 'dead letter request failed; retrying in 2 s');
        else metrics.recordRetry(error, pollMs);
      }
      if (!isDone) await pause(pollMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.race([running, pause(stopTimeoutMs, undefined, { ref: false })]);
    },
  };
}

/** False when the request has to wait. Actions that were executed by then are not repeated. */
async function processRequest(
  options: DeadLetterRequestOptions,
  holder: string,
  request: DeadLetterRequest,
  stopping: AbortSignal,
): Promise<boolean> {
  const { control, log } = options;
  const { id, action, deadLetterIds, results: previous, isLast } = request;
  await using executor = createDeadLetterExecutor(options);
  let results: DeadLetterResult[] = [...previous];
  const executed = new Set(previous.map(({ deadLetterId }) => deadLetterId));
  let recordedAtMs = performance.now();
  const record = async (isDone: boolean): Promise<boolean> => {
    recordedAtMs = performance.now();
    return recordDeadLetterResults(control, holder, id, results, isDone);
  };
  const isRecordDue = () => performance.now() - recordedAtMs > recordIntervalMs;
  try {
    for (const deadLetterId of deadLetterIds) {
      if (stopping.aborted) throw new Error('the process is stopping');
      if (executed.has(deadLetterId)) continue;
      executed.add(deadLetterId);
      const startedAtMs = performance.now();
      const result = await executor.execute(action, deadLetterId, request);
      // One that is missing here may be in a cell that has its turn later.
      if (isLast || result.result !== 'missing') results.push(result);
      if (action === 'replay')
        await pause(Math.max(0, 1_000 / maxReplaysPerSecond - (performance.now() - startedAtMs)));
      if (isRecordDue() && !(await record(false))) return true;
    }
    for (const endMs = performance.now() + longestWaitMs; performance.now() < endMs && !stopping.aborted; ) {
      results = await executor.refreshResults(results);
      if (!results.some(({ result }) => result === 'sent')) break;
      if (isRecordDue() && !(await record(false))) return true;
      await pause(refreshIntervalMs);
    }
    await record(true);
    log.info({ action, deadLetters: deadLetterIds.length }, 'dead letter request completed');
    return true;
  } catch (error) {
    await record(false);
    await releaseDeadLetterRequest(control, holder, id, publicReason(error));
    log.warn({ err: error, action }, 'dead letter request interrupted; retrying in 2 s');
    return false;
  }
}

/** Shown in the console: contains no address and no statement. */
function publicReason(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name.startsWith('Kafka')) return 'Kafka is unavailable; retrying every 2 s.';
  return 'The request failed; retrying every 2 s.';
}

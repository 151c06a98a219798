import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@tenantscope/runtime';
import {
  giveLetterRequestBack,
  type LetterRequest,
  type LetterResult,
  noteLetterResults,
  replaysASecond,
  takeLetterRequest,
} from '@tenantscope/store';
import { type LetterActParts, letterHand } from './letter-acts.ts';
import type { Observations } from './observations.ts';
import { isEnvironmental } from './persist.ts';

const pollMs = 2_000;
/** What was done is put down so often, which also says that this process lives. */
const noteIntervalMs = 5_000;
const lookIntervalMs = 250;
/** So long a replayed letter is waited for; what becomes of it later shows at the letter. */
const longestWaitMs = 20_000;
const stopTimeoutMs = 3_000;

export interface LetterRequestParts extends LetterActParts {
  observed: Observations;
  log: Log;
}

/** Does what administrators want done with dead letters. Runs in every process; each request is taken by one of them. */
export function serveLetterRequests(parts: LetterRequestParts): AsyncDisposable {
  const { control, observed, log } = parts;
  const holder = randomUUID();
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      let worked = false;
      try {
        const request = await takeLetterRequest(control, holder);
        worked = request !== null && (await work(parts, holder, request, stopping.signal));
      } catch (error) {
        if (!isEnvironmental(error)) log.error({ err: error }, 'a request about dead letters could not be done');
        else observed.waiting(error, pollMs);
      }
      if (!worked) await pause(pollMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.race([running, pause(stopTimeoutMs, undefined, { ref: false })]);
    },
  };
}

/** False when the request has to wait. What was done by then stays done and is not done again. */
async function work(
  parts: LetterRequestParts,
  holder: string,
  { id, organizationId, act, letterIds, results: before }: LetterRequest,
  stopping: AbortSignal,
): Promise<boolean> {
  const { control, log } = parts;
  await using hand = letterHand(parts);
  let results: LetterResult[] = [...before];
  const handled = new Set(before.map(({ letterId }) => letterId));
  let notedAtMs = performance.now();
  const note = async (isDone: boolean): Promise<boolean> => {
    notedAtMs = performance.now();
    return noteLetterResults(control, holder, id, results, isDone);
  };
  try {
    for (const letterId of letterIds) {
      if (stopping.aborted) throw new Error('the process stops');
      if (handled.has(letterId)) continue;
      handled.add(letterId);
      const begunAtMs = performance.now();
      results.push(await hand.handle(act, letterId, organizationId));
      if (act === 'replay') await pause(Math.max(0, 1_000 / replaysASecond - (performance.now() - begunAtMs)));
      if (performance.now() - notedAtMs > noteIntervalMs && !(await note(false))) return true;
    }
    for (const endMs = performance.now() + longestWaitMs; performance.now() < endMs && !stopping.aborted; ) {
      results = await hand.lookAfter(results);
      if (!results.some(({ result }) => result === 'sent')) break;
      if (performance.now() - notedAtMs > noteIntervalMs && !(await note(false))) return true;
      await pause(lookIntervalMs);
    }
    await note(true);
    log.info({ act, letters: letterIds.length }, 'a request about dead letters is done');
    return true;
  } catch (error) {
    await note(false);
    await giveLetterRequestBack(control, holder, id, troubleOf(error));
    log.warn({ err: error, act }, 'a request about dead letters waits');
    return false;
  }
}

/** In words that may be shown: no address and no statement. */
function troubleOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name.startsWith('Kafka')) return 'Kafka does not answer; it is tried again every two seconds.';
  return 'It could not be done yet; it is tried again every two seconds.';
}

import { setTimeout as sleep } from 'node:timers/promises';
import { writeLine } from './terminal.ts';

/** One run of a process, from its start to its exit. */
export interface ProcessRun {
  pid: number;
  /** Resolves with a description of the exit. */
  ended: Promise<string>;
}

export interface SupervisedProcess {
  readonly name: string;
  /** Null between an exit and the next start. */
  readonly pid: number | null;
  /** Ends the supervision: the process is not started again. */
  release(): void;
  /** The next exit is a requested restart, without a delay. A process that waits for its next start is started now. */
  requestRestart(): void;
}

const shortestDelayMs = 500;
const longestDelayMs = 30_000;
const stableAfterMs = 60_000;

/** Starts a process again whenever it exits, after a delay that grows while its runs are short. */
export function superviseProcess(
  name: string,
  first: ProcessRun,
  start: () => Promise<ProcessRun>,
  onChange: () => Promise<void>,
  firstDelayMs = shortestDelayMs,
): SupervisedProcess {
  let run: ProcessRun | null = first;
  let isReleased = false;
  let isRestartRequested = false;
  let restart = Promise.withResolvers<void>();

  const waitForRestart = async (outcome: string, delayMs: number) => {
    if (isRestartRequested) return;
    writeLine(name, `${outcome}; restarting in ${delayMs / 1000} s`);
    await onChange();
    await Promise.race([sleep(delayMs, undefined, { ref: false }), restart.promise]);
  };
  const supervise = async () => {
    let delayMs = firstDelayMs;
    for (let startedAtMs = Date.now(); run !== null; startedAtMs = Date.now()) {
      const outcome = await run.ended;
      run = null;
      if (isRestartRequested || Date.now() - startedAtMs > stableAfterMs) delayMs = firstDelayMs;
      while (!isReleased && run === null) {
        await waitForRestart(outcome, delayMs);
        isRestartRequested = false;
        restart = Promise.withResolvers();
        delayMs = Math.min(delayMs * 2, longestDelayMs);
        if (!isReleased) run = await start().catch((cause: Error) => reportFailedStart(name, cause));
      }
      if (run === null) return;
      writeLine(name, `restarted (process ${run.pid})`);
      await onChange();
    }
  };
  void supervise();

  return {
    name,
    get pid() {
      return run?.pid ?? null;
    },
    release() {
      isReleased = true;
    },
    requestRestart() {
      isRestartRequested = true;
      restart.resolve();
    },
  };
}

function reportFailedStart(name: string, cause: Error): null {
  writeLine(name, cause.message);
  return null;
}

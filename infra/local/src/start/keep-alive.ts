import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './screen.ts';

/** One run of a process, from its start to its end. */
export interface Life {
  pid: number;
  /** How it ended. */
  ended: Promise<string>;
}

export interface KeptAlive {
  readonly name: string;
  /** Null between an end and the next start. */
  readonly pid: number | null;
  /** From now on an end is wanted. */
  release(): void;
}

const firstDelayMs = 500;
const longestDelayMs = 30_000;
const goodLifeMs = 60_000;

/** Starts a process again whenever it ends, after a delay that grows while it keeps dying young, and says so. */
export function keepAlive(
  name: string,
  first: Life,
  again: () => Promise<Life>,
  changed: () => Promise<void>,
): KeptAlive {
  let life: Life | null = first;
  let wanted = true;

  async function watch(): Promise<void> {
    let delayMs = firstDelayMs;
    for (let bornMs = Date.now(); life !== null; bornMs = Date.now()) {
      const how = await life.ended;
      life = null;
      if (Date.now() - bornMs > goodLifeMs) delayMs = firstDelayMs;
      while (wanted && life === null) {
        say(name, `${how}; starts again in ${delayMs / 1000} s`);
        await changed();
        await sleep(delayMs, undefined, { ref: false });
        delayMs = Math.min(delayMs * 2, longestDelayMs);
        if (wanted) life = await again().catch((cause: Error) => notAgain(name, cause));
      }
      if (life === null) return;
      say(name, `is running again (process ${life.pid})`);
      await changed();
    }
  }
  void watch();

  return {
    name,
    get pid() {
      return life?.pid ?? null;
    },
    release() {
      wanted = false;
    },
  };
}

function notAgain(name: string, cause: Error): null {
  say(name, cause.message);
  return null;
}

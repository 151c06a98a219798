import { unavailable } from './failure.ts';
import { readsInAll, readsPerKey, readsWaitingPerKey, readWaitMs } from './limits.ts';

/** Lets a key read a few pages at once; its further requests wait their turn, so that one poller cannot own the connections. */
export interface Turns {
  take<Value>(keyId: string, work: () => Promise<Value>): Promise<Value>;
  readonly inFlight: number;
}

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

export interface TurnLimits {
  readonly perKey: number;
  readonly waitingPerKey: number;
  readonly inAll: number;
  readonly waitMs: number;
}

const ofReads: TurnLimits = {
  perKey: readsPerKey,
  waitingPerKey: readsWaitingPerKey,
  inAll: readsInAll,
  waitMs: readWaitMs,
};

/** Sheds, with 503, what would wait too long or too many deep; `overloaded` sheds everything that is new. */
export function createTurns(overloaded: () => boolean, limits: TurnLimits = ofReads): Turns {
  const lines = new Map<string, Line>();
  let inFlight = 0;

  const enter = async (line: Line): Promise<void> => {
    if (line.running < limits.perKey) {
      line.running += 1;
      return;
    }
    if (line.waiting.length >= limits.waitingPerKey) throw unavailable('Too many requests of this key wait already.');
    await new Promise<void>((resolve, reject) => {
      const granted = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.waiting.splice(line.waiting.indexOf(granted), 1);
        reject(unavailable('Earlier requests of this key took too long.'));
      }, limits.waitMs);
      line.waiting.push(granted);
    });
  };

  /** Whoever waits longest takes over the place that becomes free. */
  const leave = (keyId: string, line: Line): void => {
    const next = line.waiting.shift();
    if (next) next();
    else if (line.running > 1) line.running -= 1;
    else lines.delete(keyId);
  };

  return {
    get inFlight() {
      return inFlight;
    },
    async take(keyId, work) {
      if (inFlight >= limits.inAll || overloaded()) throw unavailable('The service is overloaded.');
      const line = lines.get(keyId) ?? { running: 0, waiting: [] };
      lines.set(keyId, line);
      inFlight += 1;
      try {
        await enter(line);
        try {
          return await work();
        } finally {
          leave(keyId, line);
        }
      } finally {
        inFlight -= 1;
      }
    },
  };
}

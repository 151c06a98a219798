/** The time that a request waits for rows because it prefers to (`Prefer: wait`). It is no part of the duration that alerts compare with the objective. */
export interface RequestedWait {
  measure<Value>(wait: () => Promise<Value>): Promise<Value>;
  /** Of all waits, also of one that has not ended. */
  totalMs(): number;
}

export function createRequestedWait(): RequestedWait {
  let endedMs = 0;
  let beganAtMs: number | null = null;
  const runningMs = () => (beganAtMs === null ? 0 : performance.now() - beganAtMs);
  return {
    async measure(wait) {
      beganAtMs = performance.now();
      try {
        return await wait();
      } finally {
        endedMs += runningMs();
        beganAtMs = null;
      }
    },
    totalMs: () => endedMs + runningMs(),
  };
}

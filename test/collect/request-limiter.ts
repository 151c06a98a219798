export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
}

/** A limit of requests in fixed windows of time. */
export interface RequestLimiter {
  /** Null: the request is within the limit; else the seconds of `Retry-After`. */
  consume(): number | null;
  /** Requests are refused for this time. */
  block(ms: number): void;
  refusedCount(): number;
  /** Requests that came before the time that an earlier response named. */
  earlyCount(): number;
}

export function createRequestLimiter({ requests, windowMs }: RateLimit): RequestLimiter {
  let remaining = requests;
  let resetAtMs = Date.now() + windowMs;
  let announcedUntilMs = 0;
  let early = 0;
  let refused = 0;
  const announce = (untilMs: number): number => {
    const seconds = Math.max(1, Math.ceil((untilMs - Date.now()) / 1_000));
    announcedUntilMs = Date.now() + seconds * 1_000;
    return seconds;
  };
  return {
    consume() {
      const nowMs = Date.now();
      // 5 ms: clocks of timers and of the date differ.
      if (nowMs < announcedUntilMs - 5) early += 1;
      if (nowMs >= resetAtMs) [remaining, resetAtMs] = [requests, nowMs + windowMs];
      if (remaining === 0) {
        refused += 1;
        return announce(resetAtMs);
      }
      remaining -= 1;
      return null;
    },
    block(ms) {
      remaining = 0;
      resetAtMs = Date.now() + ms;
    },
    refusedCount: () => refused,
    earlyCount: () => early,
  };
}

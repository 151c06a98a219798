/** A count that takes less is repeated for each request. */
const quickMs = 500;
/** A slow count is used again for so many times as long as it took: it keeps one connection busy for a twentieth of the time. */
const reuseFactor = 20;

/** How long a request waits for a count that is not there. */
const waitMs = 1_000;

/**
 * One count for all requests of the process. Null while the first one takes longer than a request waits, and after one that failed, such as by the time-out of its
 * statement: what is polled every two seconds must neither fail nor load the database because there is much to count.
 */
export function shareCount<Value>(countAll: () => Promise<Value>, now = () => performance.now()) {
  let last: { readonly value: Value | null; readonly usableUntil: number } | null = null;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    const startedAt = now();
    const value = await countAll().catch(() => null);
    const took = now() - startedAt;
    last = { value, usableUntil: took < quickMs ? 0 : now() + took * reuseFactor };
    running = null;
  }

  return async (): Promise<Value | null> => {
    if (last !== null && now() < last.usableUntil) return last.value;
    running ??= run();
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, waitMs);
    await Promise.race([running, timer.promise]);
    clearTimeout(timeout);
    return last?.value ?? null;
  };
}

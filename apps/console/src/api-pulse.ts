import { evidenceKeysPath } from '@tenantscope/contract';

const patienceMs = 1_500;
/** What was found out holds so long: however many screens are open, the api is asked once. */
const holdsMs = 1_500;

/** Whether the api answers at all, as this process reaches it; asked of what costs it nothing and needs no key. */
export function pulseOf(apiUrl: string): () => Promise<boolean> {
  let last: { readonly answers: Promise<boolean>; untilMs: number } | null = null;
  return () => {
    if (last === null || performance.now() >= last.untilMs) {
      const asked = { answers: feel(apiUrl), untilMs: Number.POSITIVE_INFINITY };
      void asked.answers.finally(() => {
        asked.untilMs = performance.now() + holdsMs;
      });
      last = asked;
    }
    return last.answers;
  };
}

async function feel(apiUrl: string): Promise<boolean> {
  try {
    const { ok } = await fetch(apiUrl + evidenceKeysPath, {
      method: 'HEAD',
      signal: AbortSignal.timeout(patienceMs),
    });
    return ok;
  } catch {
    return false;
  }
}

const lookEveryMs = 2_000;
/** An api that is busy may be slow to answer; one that answers nothing for so long is not waited for. */
const silentMs = 10_000;

/** Aborts what is asked of an api that has stopped answering anybody. */
export function untilSilent(answers: () => Promise<boolean>): Disposable & { readonly signal: AbortSignal } {
  const silent = new AbortController();
  let answeredAtMs = performance.now();
  const looking = setInterval(async () => {
    if (await answers()) answeredAtMs = performance.now();
    else if (performance.now() - answeredAtMs >= silentMs) silent.abort();
  }, lookEveryMs);
  return { signal: silent.signal, [Symbol.dispose]: () => clearInterval(looking) };
}

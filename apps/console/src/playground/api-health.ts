import { evidenceKeysPath } from '@tenantscope/contract';

const probeTimeoutMs = 1_500;
/** A result is valid for so long: however many screens are open, the API is probed once. */
const validMs = 1_500;

/** Whether the API responds at all, as this process reaches it; probes an endpoint that costs nothing and needs no key. */
export function createApiHealthCheck(apiUrl: string): () => Promise<boolean> {
  let last: { readonly isResponding: Promise<boolean>; untilMs: number } | null = null;
  return () => {
    if (last === null || performance.now() >= last.untilMs) {
      const probe = { isResponding: probeApi(apiUrl), untilMs: Number.POSITIVE_INFINITY };
      void probe.isResponding.finally(() => {
        probe.untilMs = performance.now() + validMs;
      });
      last = probe;
    }
    return last.isResponding;
  };
}

async function probeApi(apiUrl: string): Promise<boolean> {
  try {
    const { ok } = await fetch(apiUrl + evidenceKeysPath, {
      method: 'HEAD',
      redirect: 'error',
      signal: AbortSignal.timeout(probeTimeoutMs),
    });
    return ok;
  } catch {
    return false;
  }
}

const probeIntervalMs = 2_000;
/** A busy API may be slow; one that does not respond to any probe for so long is not waited for. */
const unreachableMs = 10_000;

/** A signal that aborts a request once the API has stopped responding to every probe. */
export function abortWhenUnreachable(
  isResponding: () => Promise<boolean>,
): Disposable & { readonly signal: AbortSignal } {
  const unreachable = new AbortController();
  let respondedAtMs = performance.now();
  const interval = setInterval(async () => {
    if (await isResponding()) respondedAtMs = performance.now();
    else if (performance.now() - respondedAtMs >= unreachableMs) unreachable.abort();
  }, probeIntervalMs);
  return { signal: unreachable.signal, [Symbol.dispose]: () => clearInterval(interval) };
}

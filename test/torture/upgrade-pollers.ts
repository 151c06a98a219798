import { type Polled, sleep } from './pollers.ts';

const pollIntervalMs = 100;
const pageRows = '500';

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: {
    readonly hasMore: boolean;
    readonly nextCursor: string | null;
    readonly resumeCursor: string;
    readonly completeThrough: string;
  };
}

export interface UpgradePollers {
  /** Requests that got no response with status 200, with the time. Nothing is repeated. */
  readonly failures: readonly string[];
  polls(): number;
  /** After a last poll of everything that is complete. */
  stop(): Promise<Polled>;
}

/**
 * Two collectors as the documents describe them: one follows `resumeCursor`, one reads adjacent windows up to what the other was told to be complete. Each uses several
 * keys, since each has a limit per minute. `baseUrl` is read for each request, as through a load balancer.
 */
export function startUpgradePollers({
  baseUrl,
  secrets,
  startedMs,
}: {
  readonly baseUrl: () => string;
  readonly secrets: readonly string[];
  /** Epoch ms: rows from here on are polled. */
  readonly startedMs: number;
}): UpgradePollers {
  const failures: string[] = [];
  const polled: Polled = { windows: [], followed: [] };
  const stopping = new AbortController();
  let polls = 0;
  let completeMs = startedMs;

  const request = async (parameters: Record<string, string>): Promise<Page | null> => {
    const headers = { authorization: `Bearer ${secrets[polls++ % secrets.length]}` };
    const sentAt = new Date().toISOString();
    try {
      const response = await fetch(`${baseUrl()}/logs?${new URLSearchParams(parameters)}`, {
        headers,
        signal: AbortSignal.timeout(15_000),
      });
      if (response.status === 200) return (await response.json()) as Page;
      failures.push(`${sentAt} ${response.status}: ${await response.text()}`);
    } catch (error) {
      failures.push(`${sentAt} ${String((error as Error).cause ?? error)}`);
    }
    return null;
  };

  const follow = async () => {
    let next: Record<string, string> = {
      sort: 'discoveredAtAsc',
      limit: pageRows,
      discoveredFrom: new Date(startedMs).toISOString(),
    };
    for (let isLast = false; !isLast; ) {
      isLast = stopping.signal.aborted;
      for (let more = true; more; ) {
        const page = await request(next);
        if (page === null) break;
        polled.followed.push(...page.data.map(({ id }) => id));
        next = { cursor: page.pagination.resumeCursor };
        more = page.pagination.hasMore;
        if (!more) completeMs = Math.max(completeMs, Date.parse(page.pagination.completeThrough));
      }
      await sleep(pollIntervalMs);
    }
  };

  const readWindow = async (fromMs: number, toMs: number): Promise<boolean> => {
    const ids: string[] = [];
    let next: Record<string, string> | null = {
      sort: 'discoveredAtAsc',
      limit: pageRows,
      discoveredFrom: new Date(fromMs).toISOString(),
      discoveredTo: new Date(toMs).toISOString(),
    };
    while (next !== null) {
      const page = await request(next);
      if (page === null) return false;
      ids.push(...page.data.map(({ id }) => id));
      next = page.pagination.nextCursor === null ? null : { cursor: page.pagination.nextCursor };
    }
    polled.windows.push({ fromMs, toMs, ids });
    return true;
  };
  const pollWindows = async (until: () => boolean, from: number) => {
    let fromMs = from;
    do {
      const toMs = completeMs;
      if (toMs > fromMs && (await readWindow(fromMs, toMs))) fromMs = toMs;
      await sleep(pollIntervalMs);
    } while (!until());
    return fromMs;
  };

  const following = follow();
  const windows = pollWindows(() => stopping.signal.aborted, startedMs);
  return {
    failures,
    polls: () => polls,
    async stop() {
      stopping.abort();
      const [fromMs] = await Promise.all([windows, following]);
      await pollWindows(() => true, fromMs);
      return polled;
    },
  };
}

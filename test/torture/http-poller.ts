import { type Polled, sleep } from './pollers.ts';

interface LogsResponse {
  data: { id: string }[];
  pagination: { hasMore: boolean; nextCursor: string | null; resumeCursor: string; completeThrough: string };
}

export interface HttpPoller {
  /** Reads adjacent windows up to now, and follows `resumeCursor`, every 50 ms until what is complete has passed the time of `end`. */
  poll(): Promise<Polled>;
  end(): void;
}

const pollIntervalMs = 50;

/** The keys in rotation, since each has a limit per minute. */
export function rotateSecrets(secrets: readonly string[]): () => string {
  let turn = 0;
  return () => secrets[turn++ % secrets.length] as string;
}

/** Requests pages of `/logs` as text. A 503 is repeated, and anything else but 200 is a failure. */
export function createLogsRequest(baseUrl: string, nextSecret: () => string) {
  return async (
    parameters: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    for (;;) {
      const response = await fetch(`${baseUrl}/logs?${new URLSearchParams(parameters)}`, {
        headers: { authorization: `Bearer ${nextSecret()}`, ...headers },
      });
      if (response.status === 200) return response.text();
      if (response.status !== 503) throw new Error(`${response.status}: ${await response.text()}`);
      await sleep(pollIntervalMs);
    }
  };
}

/** Two pollers of `/logs`. They repeat a 503, and anything else but 200 is a failure. They use several keys, since each has a limit per minute. */
export function createHttpPoller(
  baseUrl: string,
  secrets: readonly string[],
  pageRows = '200',
  startMs = chooseStartMs(),
): HttpPoller {
  const polled: Polled = { windows: [], followed: [] };
  let endedMs = Number.POSITIVE_INFINITY;
  const get = createLogsRequest(baseUrl, rotateSecrets(secrets));

  const request = async (parameters: Record<string, string>) => JSON.parse(await get(parameters)) as LogsResponse;
  const pollWindows = async () => {
    for (let fromMs = startMs, last = false; !last; ) {
      last = Date.now() >= endedMs;
      const toMs = Date.now();
      const window = { discoveredFrom: new Date(fromMs).toISOString(), discoveredTo: new Date(toMs).toISOString() };
      const ids: string[] = [];
      for (let page = await request({ ...window, sort: 'discoveredAtAsc', limit: pageRows }); ; ) {
        ids.push(...page.data.map(({ id }) => id));
        if (page.pagination.nextCursor === null) break;
        page = await request({ cursor: page.pagination.nextCursor });
      }
      polled.windows.push({ fromMs, toMs, ids });
      fromMs = toMs;
      await sleep(pollIntervalMs);
    }
  };
  const follow = async () => {
    let next: Record<string, string> = {
      sort: 'discoveredAtAsc',
      limit: pageRows,
      discoveredFrom: new Date(startMs).toISOString(),
    };
    for (let completeMs = 0; completeMs < endedMs; ) {
      for (let more = true; more; ) {
        const { data, pagination } = await request(next);
        polled.followed.push(...data.map(({ id }) => id));
        next = { cursor: pagination.resumeCursor };
        more = pagination.hasMore;
        completeMs = Date.parse(pagination.completeThrough);
      }
      await sleep(pollIntervalMs);
    }
  };
  return {
    async poll() {
      await Promise.all([pollWindows(), follow()]);
      return polled;
    },
    end() {
      endedMs = Date.now();
    },
  };
}

/** From which time pollers read: the clock of a server may be behind. */
export const chooseStartMs = (): number => Date.now() - 10_000;

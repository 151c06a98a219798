import { z } from 'zod';

const page = z.object({
  data: z.array(z.object({ id: z.string(), discoveredAt: z.iso.datetime(), externalEventId: z.string().nullable() })),
  pagination: z.object({
    hasMore: z.boolean(),
    nextCursor: z.string().nullable(),
    resumeCursor: z.string(),
    completeThrough: z.iso.datetime().nullable(),
  }),
});
export type LogPage = z.infer<typeof page>;

export interface CanaryClient {
  /** A page of `/logs`. Throws an error with the status if it is not 200. */
  readLogs(parameters: Readonly<Record<string, string>>): Promise<LogPage>;
}

const requestTimeoutMs = 10_000;

/** @param url base URL of the API, which ends in /api/v1 */
export function createCanaryClient(url: string, key: string): CanaryClient {
  return {
    async readLogs(parameters) {
      const response = await fetch(`${url}/logs?${new URLSearchParams(parameters)}`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(requestTimeoutMs),
        redirect: 'error',
      });
      if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${(await response.text()).slice(0, 500)}`);
      return page.parse(await response.json());
    },
  };
}

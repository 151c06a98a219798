import { setTimeout as sleep } from 'node:timers/promises';

// A collector in its own process, so that its processor time does not delay the producers. It polls by resumeCursor until stopped, then
// reports what it received and when. The first digits of each record id contain the production time.

export interface FollowOrder {
  port: number;
  /** Used in rotation, so that no key reaches its limit. */
  secrets: readonly string[];
  pollIntervalMs: number;
}

export interface Seen {
  producedAtMs: number;
  seenAtMs: number;
}

const ending = new AbortController();

process.on('message', (message: FollowOrder | 'end') => {
  if (message === 'end') return ending.abort();
  follow(message).then(
    (seen) => process.send?.({ seen }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

/** A record is noted once, after its response has arrived completely. */
async function follow({ port, secrets, pollIntervalMs }: FollowOrder): Promise<Seen[]> {
  const seen: Seen[] = [];
  let query = `discoveredFrom=${new Date().toISOString()}&limit=1000&sort=discoveredAtAsc`;
  for (let turn = 0; !ending.signal.aborted; turn++) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/logs?${query}`, {
      headers: { authorization: `Bearer ${secrets[turn % secrets.length]}` },
    });
    const text = await response.text();
    const seenAtMs = Date.now();
    if (response.status === 503) {
      // As clients do; the wait is part of the time until the record is seen.
      await sleep(pollIntervalMs);
      continue;
    }
    if (response.status !== 200) throw new Error(`the follower got status ${response.status}: ${text}`);
    const { data, pagination } = JSON.parse(text) as {
      data: { externalEventId: string }[];
      pagination: { hasMore: boolean; resumeCursor: string };
    };
    for (const { externalEventId } of data) {
      seen.push({ producedAtMs: Number.parseInt(externalEventId.slice(0, 13).replace('-', ''), 16), seenAtMs });
    }
    query = `cursor=${pagination.resumeCursor}&limit=1000`;
    if (!pagination.hasMore) await sleep(pollIntervalMs);
  }
  return seen;
}

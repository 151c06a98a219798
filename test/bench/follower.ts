import { setTimeout as sleep } from 'node:timers/promises';

// A collector in a process of its own: what it burns must not delay those who produce. Polls by resumeCursor until told to end, then tells
// what it saw and when. Records bear the time they were produced in the first digits of their own id.

export interface FollowOrder {
  port: number;
  /** Taken in turn, so that no key meets its limit. */
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

/** Every record is noted once, when the answer that brought it was whole. */
async function follow({ port, secrets, pollIntervalMs }: FollowOrder): Promise<Seen[]> {
  const seen: Seen[] = [];
  let query = `discoveredFrom=${new Date().toISOString()}&limit=1000&sort=discoveredAtAsc`;
  for (let turn = 0; !ending.signal.aborted; turn++) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/logs?${query}`, {
      headers: { authorization: `Bearer ${secrets[turn % secrets.length]}` },
    });
    const text = await answer.text();
    const seenAtMs = Date.now();
    if (answer.status !== 200) throw new Error(`the follower was answered ${answer.status}: ${text}`);
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

import type pg from 'pg';
import { type ProgressDelta, sumProgress } from '../lane/source-progress.ts';
import { encodeJsonbArray } from '../row/binary-copy.ts';
import {
  encodeLogIds,
  encodeOccurrences,
  encodeStamps,
  encodeTenantIds,
  readOccurredMs,
  readStampMs,
} from '../row/log-lines.ts';
import type { PreparedRows } from '../row/log-rows.ts';

/**
 * Writes the facts of rows that were just written, and only of those: duplicates have theirs. Nearly all batches have none. The lines are
 * stamped already.
 */
export async function writeLogFacts(
  client: pg.PoolClient,
  { facts, starts }: PreparedRows,
  bytes: Buffer,
  written: readonly number[],
): Promise<void> {
  if (facts.length === 0) return;
  const fresh = new Set(written);
  const rows = facts.filter(({ line }) => fresh.has(line));
  if (rows.length === 0) return;
  const lines = rows.map(({ line }) => line);
  await client.query({
    name: 'write-log-facts',
    text: `insert into models.log_fact (tenant_id, log_id, kind, occurred_at, discovered_at, agent_id, actor_id, facts)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::text[], $8::jsonb[])
     on conflict do nothing`, // of a row whose identity was dropped by age before the row itself
    values: [
      encodeTenantIds(bytes, starts, lines),
      encodeLogIds(bytes, starts, lines),
      rows.map(({ kind }) => kind),
      encodeOccurrences(bytes, starts, lines),
      encodeStamps(bytes, starts, lines),
      rows.map(({ agentId }) => agentId),
      rows.map(({ actorId }) => actorId),
      encodeJsonbArray(rows.map(({ facts: text }) => text)),
    ],
  });
}

/** How far the written lines bring the sources of the log. Lines of one tenant are in the order of their occurrence. */
export function measureLogProgress(
  { sources, sourceIndexes: sourceOf, starts, ordinals }: PreparedRows,
  bytes: Buffer,
  written: readonly number[],
): ProgressDelta[] {
  const counts = new Uint32Array(sources.length);
  const latest = new Uint32Array(sources.length);
  const newest = new Uint32Array(sources.length);
  for (const line of written) {
    const source = sourceOf[line] as number;
    if (counts[source] === 0 || (ordinals[line] as number) > (ordinals[newest[source] as number] as number))
      newest[source] = line;
    latest[source] = line;
    (counts[source] as number)++;
  }
  const each = sources.flatMap(({ tenantId, name, isUnlisted }, source): ProgressDelta[] => {
    if (counts[source] === 0) return [];
    const brought = {
      tenantId,
      rowCount: counts[source] as number,
      lastOccurredAtMs: readOccurredMs(bytes, starts[latest[source] as number] as number),
      lastStamp: new Date(readStampMs(bytes, starts[newest[source] as number] as number)).toISOString(),
    };
    const all = { ...brought, source: 'logs' };
    return name === null ? [all] : [all, { ...brought, source: `logs/${name}`, isUnlisted }];
  });
  return sumProgress(each);
}

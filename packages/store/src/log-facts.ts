import type pg from 'pg';
import { idOfLine, occurrenceOfLine, type PreparedRows, stampOfLine, tenantOfLine } from './log-rows.ts';
import { type Progress, summed } from './source-progress.ts';

/**
 * What rules and evidence look at of rows that were just written, and only of those: what is known already has its facts. Nearly all batches
 * hold none. The lines are stamped.
 */
export async function writeLogFacts(
  client: pg.PoolClient,
  { facts, starts }: PreparedRows,
  bytes: Buffer,
  written: readonly number[],
): Promise<void> {
  if (facts.length === 0) return;
  const fresh = new Set(written);
  const rows = facts
    .filter(({ line }) => fresh.has(line))
    .map((fact) => ({ ...fact, start: starts[fact.line] as number }));
  if (rows.length === 0) return;
  await client.query(
    `insert into models.log_fact (tenant_id, log_id, kind, occurred_at, discovered_at, agent_id, actor_id, facts)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::text[], $8::jsonb[])
     on conflict do nothing`, // of a row whose identity was dropped by age before the row itself
    [
      rows.map(({ start }) => tenantOfLine(bytes, start)),
      rows.map(({ start }) => idOfLine(bytes, start)),
      rows.map(({ kind }) => kind),
      rows.map(({ start }) => occurrenceOfLine(bytes, start)),
      rows.map(({ start }) => stampOfLine(bytes, start)),
      rows.map(({ agentId }) => agentId),
      rows.map(({ actorId }) => actorId),
      rows.map(({ facts }) => facts),
    ],
  );
}

/** How far the written lines bring the sources of the log. Lines of one tenant are in the order of their occurrence. */
export function progressOfLogs(
  { sources, sourceOf, starts, ordinals }: PreparedRows,
  bytes: Buffer,
  written: readonly number[],
): Progress[] {
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
  const each = sources.flatMap(({ tenantId, name }, source): Progress[] => {
    if (counts[source] === 0) return [];
    const brought = {
      tenantId,
      rowCount: counts[source] as number,
      lastOccurredAtMs: Date.parse(occurrenceOfLine(bytes, starts[latest[source] as number] as number)),
      lastStamp: stampOfLine(bytes, starts[newest[source] as number] as number),
    };
    const all = { ...brought, source: 'logs' };
    return name === null ? [all] : [all, { ...brought, source: `logs/${name}` }];
  });
  return summed(each);
}

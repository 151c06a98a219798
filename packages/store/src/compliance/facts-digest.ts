import type pg from 'pg';

/** What identifies the facts of a tenant that a status is evaluated from. */
export interface FactsDigest {
  /** SHA-256, lower-case hexadecimal. Equal digests: no fact was written or removed in between. */
  readonly sha256: string;
  /** The database's clock, epoch ms. */
  readonly nowMs: number;
}

/**
 * The digest of a tenant's facts, from counters that are written in the transaction of the facts: an index range of each table instead of the
 * rows. It covers:
 *
 * - progress of every source by lane: each applied row of a log, record or entity counts up
 * - compliance records by version and content: people's declarations have no source, and the console and the CLI write them too
 * - triaged alerts: an older version that arrives late may still add the time of the first triage
 * - the newest snapshot: the chain only grows
 * - how far the log was dropped by age, in all and of this tenant
 *
 * It does not cover the clock, nor a first-seen time that a late message of another lane moves back by less than their difference in stamps.
 */
export async function readFactsDigest(client: pg.ClientBase, tenantId: string): Promise<FactsDigest> {
  const { rows } = await client.query<FactsDigest>(digest, [tenantId]);
  const [row] = rows;
  if (!row) throw new TypeError('the digest query returned no row');
  return row;
}

const digest = `
  select encode(sha256(convert_to(jsonb_build_array(
           (select array_agg(concat_ws(' ', source, cluster_id, topic_id, partition, row_count, last_discovered_at, last_occurred_at)
                             order by source, cluster_id, topic_id, partition) from models.source_progress where tenant_id = $1),
           (select array_agg(concat_ws(' ', version, encode(r.digest, 'hex'), id) order by id) from models.compliance_record r where tenant_id = $1),
           (select count(first_triaged_at) from models.security_alert where tenant_id = $1),
           (select id from models.compliance_snapshot where tenant_id = $1 order by taken_at desc, id desc limit 1),
           (select array_agg(concat_ws(' ', feed, dropped_before) order by feed) from models.retention),
           (select dropped_before from models.tenant_retention where tenant_id = $1)
         )::text, 'UTF8')), 'hex') as sha256,
         floor(extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`;

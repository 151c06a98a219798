import type pg from 'pg';
import { isBeyond, type PagePosition } from '../../read/record-page.ts';

/** A member of a stored snapshot's document, with what is known of the snapshot and of the one before it. */
export interface SnapshotPart {
  readonly id: string;
  readonly takenAtMs: number;
  readonly trigger: string;
  readonly period: string | null;
  readonly late: boolean;
  readonly catalogueVersion: string;
  readonly evaluatorVersion: string | null;
  /** The last week before its own that has a scheduled snapshot; null for manual ones and the first week. */
  readonly earlierPeriod: string | null;
  /** As it is in the document; null if the document does not contain it. */
  readonly part: unknown;
}

export interface SnapshotPartQuery {
  readonly tenantId: string;
  /** A list of the status whose items have a key. */
  readonly list: 'requirements' | 'frameworks';
  readonly key: string;
  readonly after: PagePosition | null;
  readonly limit: number;
}

/**
 * An item of the status in the newest snapshots at or after a position, newest first. A document is parsed as a whole, 8 ms for 440 kB: the
 * caller bounds the number. The client is in a transaction with the tenant set.
 */
export async function readSnapshotParts(
  client: pg.ClientBase,
  { tenantId, list, key, after, limit }: SnapshotPartQuery,
): Promise<readonly SnapshotPart[]> {
  const beyond = after ? `and ${isBeyond('s.taken_at', 's.id', '<', after, (id) => `'${id}'::uuid`)}` : '';
  const { rows } = await client.query<SnapshotPart>(
    `select s.id, (extract(epoch from s.taken_at) * 1000)::float8 as "takenAtMs", s.trigger, s.period, s.late,
            s.catalogue_version as "catalogueVersion", s.status ->> 'evaluatorVersion' as "evaluatorVersion",
            (select max(e.period) from models.compliance_snapshot e
              where e.tenant_id = $1 and e.trigger = 'scheduled' and e.period < s.period) as "earlierPeriod",
            (select one from json_array_elements(case when json_typeof(s.status -> $2) = 'array' then s.status -> $2 else '[]' end) one
              where one ->> 'key' = $3 limit 1) as part
       from (select s.*, s.document::json -> 'status' as status from models.compliance_snapshot s
              where s.tenant_id = $1 ${beyond} order by s.taken_at desc, s.id desc limit $4) s
      order by s.taken_at desc, s.id desc`,
    [tenantId, list, key, limit],
  );
  return rows;
}

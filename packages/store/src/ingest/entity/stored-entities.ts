import type { EntityKind } from '@tenantscope/contract';
import type pg from 'pg';
import { entityTables } from '../../resource/entity/tables.ts';

/** The class of the locks of entities, see `lockRecords`. */
export const entityLockClass = 'tenantscope.entity';

/** Agents are locked by tenant: two names may turn out to be one agent. All other entities are locked one by one. */
export function nameEntityLock({ tenantId, entityKind, id }: { tenantId: string; entityKind: EntityKind; id: string }) {
  return entityKind === 'agent' ? `${tenantId}/agent` : `${tenantId}/${entityKind}/${id}`;
}

/** What of an entity's row its next state depends on. Times are as served. */
export interface StoredEntity {
  version: number;
  digest: Buffer;
  /** Its first write, which never changes. */
  firstSeenAt: string;
  /** The first write of its facts: an agent may have been known from the audit log before. */
  reportedAt: string | null;
}

/** By tenant, a slash and id. */
export async function readStoredEntities(
  client: pg.PoolClient,
  kind: EntityKind,
  entities: readonly { tenantId: string; id: string }[],
): Promise<Map<string, StoredEntity>> {
  const isAgent = kind === 'agent';
  const { rows } = await client.query<StoredRow>(
    `select r.tenant_id, r.id, r.version, r.digest, r.first_seen_at, ${isAgent ? "f.facts->>'firstSeenAt'" : 'null'} as reported_at
       from unnest($1::uuid[], $2::text[]) as requested (tenant_id, id)
       join models.${entityTables[kind].name} r on r.tenant_id = requested.tenant_id and r.id = requested.id
       ${isAgent ? "left join models.entity_fact f on f.tenant_id = r.tenant_id and f.kind = 'agent' and f.id = r.id" : ''}`,
    [entities.map(({ tenantId }) => tenantId), entities.map(({ id }) => id)],
  );
  return new Map(
    rows.map((row) => {
      const firstSeenAt = row.first_seen_at.toISOString();
      const reportedAt = isAgent ? row.reported_at : firstSeenAt;
      return [
        `${row.tenant_id}/${row.id}`,
        { version: Number(row.version), digest: row.digest, firstSeenAt, reportedAt },
      ];
    }),
  );
}

interface StoredRow {
  tenant_id: string;
  id: string;
  version: string;
  digest: Buffer;
  first_seen_at: Date;
  reported_at: string | null;
}

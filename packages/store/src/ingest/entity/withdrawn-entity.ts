import type pg from 'pg';
import { entityTables } from '../../resource/entity/tables.ts';
import type { Entity } from './entity-change.ts';
import { withdrawEntityFacts } from './entity-facts.ts';

/**
 * Deletes what turned out to be no entity, such as a folder that was reported as a file, or to be another one. Clients that read it see a deletion: a row leaves a
 * window only for a later one.
 */
export async function withdrawEntity(
  client: pg.PoolClient,
  { tenantId, kind, id }: Pick<Entity, 'tenantId' | 'kind' | 'id'>,
  stamp: string,
): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    `select version + 1 as version from models.${entityTables[kind].name} where tenant_id = $1 and id = $2 and not is_deleted`,
    [tenantId, id],
  );
  if (!rows[0]) return;
  const version = Number(rows[0].version);
  const change = JSON.stringify({ updatedAt: stamp, deletedAt: stamp, version, changeId: `${id}:${version}` });
  await client.query(
    `update models.${entityTables[kind].name}
        set is_deleted = true, version = $3, updated_at = $4,
            document = (document::jsonb || $5::jsonb)::text, detail = (detail::jsonb || $5::jsonb)::text
      where tenant_id = $1 and id = $2`,
    [tenantId, id, version, stamp, change],
  );
  await withdrawEntityFacts(client, { tenantId, kind, id, stamp });
}

import type { EntityKind } from '@tenantscope/contract';
import type pg from 'pg';
import type { Entity, EntityChange } from './entity-change.ts';
import type { PartCache } from './part-cache.ts';
import { readStoredEntities } from './stored-entities.ts';

export const entityKey = (one: { tenantId: string; entityKind: string; id: string }): string =>
  `${one.tenantId}/${one.entityKind}/${one.id}`;
export const partKey = (part: string, isRemoval: boolean): string => `${isRemoval ? 'removal' : 'state'} ${part}`;

/** The entities that changes name, with their stored parts. The caller has locked them. */
export async function readEntities(
  client: pg.PoolClient,
  changes: readonly EntityChange[],
  cache: PartCache,
): Promise<Map<string, Entity>> {
  const entities = new Map<string, Entity>();
  for (const { tenantId, entityKind: kind, id } of changes) {
    const key = entityKey({ tenantId, entityKind: kind, id });
    if (!entities.has(key))
      entities.set(key, { tenantId, kind, id, parts: new Map(), changed: new Set(), lastChange: -1, cached: null });
  }
  const all = [...entities.values()];
  await takeCached(
    client,
    all.filter((one) => cache.has(nameEntity(one))),
    cache,
  );
  const whole = all.filter(({ cached }) => cached === null);
  // Of cached entities, too: an operator may have set the version of a part back, which changes no entity.
  const partly = changes.filter((change) => entities.get(entityKey(change))?.cached !== null);
  addParts(entities, await readWhole(client, whole));
  addParts(entities, await readChanged(client, partly));
  await nameRows(
    client,
    whole.filter(({ parts }) => parts.size >= cache.minParts),
  );
  return entities;
}

/** Takes what is cached of the entities whose rows are as they were then. */
async function takeCached(client: pg.PoolClient, entities: readonly Entity[], cache: PartCache): Promise<void> {
  await nameRows(client, entities);
  for (const entity of entities) {
    const [row, taken] = [entity.cached, cache.take(nameEntity(entity))];
    const isCurrent = row !== null && taken?.version === row.version && taken.digest.equals(row.digest);
    entity.cached = isCurrent ? taken : null;
    if (isCurrent) entity.parts = taken.parts;
  }
}

/** Reads the version and the digest of the entities' rows. */
async function nameRows(client: pg.PoolClient, entities: readonly Entity[]): Promise<void> {
  for (const [kind, some] of Map.groupBy(entities, ({ kind }) => kind)) {
    const rows = await readStoredEntities(client, kind, some);
    for (const entity of some) {
      const row = rows.get(`${entity.tenantId}/${entity.id}`);
      if (row) entity.cached = { parts: entity.parts, version: row.version, digest: row.digest };
    }
  }
}

const nameEntity = ({ tenantId, kind, id }: Entity): string => entityKey({ tenantId, entityKind: kind, id });

interface PartRow {
  tenant_id: string;
  kind: EntityKind;
  id: string;
  part: string;
  is_removal: boolean;
  version: string;
  digest: Buffer;
  changed_at_ms: number;
  facts: string;
  aliases: string;
}

const partColumns =
  'p.tenant_id, p.kind, p.id, p.part, p.is_removal, p.version, p.digest, (extract(epoch from p.changed_at) * 1000)::float8 as changed_at_ms, p.facts, p.aliases';

async function readWhole(client: pg.PoolClient, entities: readonly Entity[]): Promise<PartRow[]> {
  if (entities.length === 0) return [];
  const { rows } = await client.query<PartRow>(
    `select ${partColumns} from unnest($1::uuid[], $2::text[], $3::text[]) as requested (tenant_id, kind, id)
       join models.entity_part p on p.tenant_id = requested.tenant_id and p.kind = requested.kind and p.id = requested.id`,
    [entities.map((one) => one.tenantId), entities.map((one) => one.kind), entities.map((one) => one.id)],
  );
  return rows;
}

async function readChanged(client: pg.PoolClient, changes: readonly EntityChange[]): Promise<PartRow[]> {
  if (changes.length === 0) return [];
  const { rows } = await client.query<PartRow>(
    `select ${partColumns}
       from (select distinct * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as changed (tenant_id, kind, id, part)) changed
       join models.entity_part p on p.tenant_id = changed.tenant_id and p.kind = changed.kind and p.id = changed.id and p.part = changed.part`,
    [
      changes.map((one) => one.tenantId),
      changes.map((one) => one.entityKind),
      changes.map((one) => one.id),
      changes.map((one) => one.part),
    ],
  );
  return rows;
}

function addParts(entities: ReadonlyMap<string, Entity>, rows: readonly PartRow[]): void {
  for (const row of rows) {
    const name = { tenantId: row.tenant_id, entityKind: row.kind, id: row.id };
    entities.get(entityKey(name))?.parts.set(partKey(row.part, row.is_removal), {
      ...name,
      part: row.part,
      isRemoval: row.is_removal,
      version: Number(row.version),
      digest: row.digest,
      changedAtMs: row.changed_at_ms,
      facts: JSON.parse(row.facts) as EntityChange['facts'],
      aliases: JSON.parse(row.aliases) as string[],
    });
  }
}

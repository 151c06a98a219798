import { createHash } from 'node:crypto';
import type { EntityKind } from '@tenantscope/contract';
import type pg from 'pg';
import { entityTables } from '../resource/entity/tables.ts';
import { type EntityFacts, withdrawEntityFacts, writeEntityFacts } from './entity-facts.ts';
import { compareVersions, type RecordState, type StateOutcome, upsertRows } from './record-batch.ts';
import { lockRecords } from './record-lock.ts';

/** The state of one source object of an entity, or its removal. */
export interface EntityChange {
  tenantId: string;
  entityKind: EntityKind;
  id: string;
  part: string;
  isRemoval: boolean;
  version: number;
  digest: Buffer;
  facts: Readonly<Record<string, unknown>>;
  aliases: readonly string[];
  changedAtMs: number;
}

/** The entity merged from its parts, or null while no part proves that it exists. Pure: the same parts in any order give the same entity. */
export type MergeParts = (kind: EntityKind, parts: readonly EntityChange[]) => MergedParts | null;

export interface MergedParts {
  version: number;
  columns: RecordState['columns'];
  /** JSON text of the list row's members after firstSeenAt, without braces. */
  members: string;
  detailMembers: string;
  /** JSON text of what rules and evidence count, without braces. */
  facts: string;
  /** In lower case. */
  aliases: readonly string[];
}

interface Entity {
  tenantId: string;
  kind: EntityKind;
  id: string;
  /** By part and whether it is its removal. */
  parts: Map<string, EntityChange>;
  changed: Set<string>;
  /** Index of the last change that applied. */
  lastChange: number;
}

const entityKey = (one: { tenantId: string; entityKind: string; id: string }): string =>
  `${one.tenantId}/${one.entityKind}/${one.id}`;
const partKey = (part: string, isRemoval: boolean): string => `${isRemoval ? 'removal' : 'state'} ${part}`;

/**
 * Applies parts and their removals inside the lane transaction and writes the entities that they make. Of each part the greatest state and
 * the greatest removal by (version, digest) are stored separately, so every order of delivery ends in the same rows. Several lanes may touch
 * one entity. Returns the outcomes in the order of `changes`.
 */
export async function writeEntityChanges(
  client: pg.PoolClient,
  changes: readonly EntityChange[],
  stampOf: (index: number) => string,
  merge: MergeParts,
): Promise<StateOutcome[]> {
  if (changes.length === 0) return [];
  await lockRecords(client, 'tenantscope.entity', changes.map(entityKey));
  const entities = await readEntities(client, changes);
  const outcomes = changes.map((change, index) => apply(entities.get(entityKey(change)) as Entity, change, index));
  const touched = [...entities.values()].filter(({ changed }) => changed.size > 0);
  await writeParts(client, touched);
  await writeEntities(client, touched, stampOf, merge);
  return outcomes;
}

function apply(entity: Entity, change: EntityChange, index: number): StateOutcome {
  const key = partKey(change.part, change.isRemoval);
  const outcome = compareVersions(change, entity.parts.get(key));
  if (outcome !== 'applied') return outcome;
  entity.parts.set(key, change);
  entity.changed.add(key);
  entity.lastChange = index;
  // A state and a removal of one version contradict each other, and the lesser of them loses.
  const opposite = entity.parts.get(partKey(change.part, !change.isRemoval));
  const loses = opposite?.version === change.version && Buffer.compare(change.digest, opposite.digest) < 0;
  return loses ? 'conflict' : 'applied';
}

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

/** The entities that changes name, with what is known of them. */
async function readEntities(client: pg.PoolClient, changes: readonly EntityChange[]): Promise<Map<string, Entity>> {
  const entities = new Map<string, Entity>();
  for (const { tenantId, entityKind: kind, id } of changes) {
    const key = entityKey({ tenantId, entityKind: kind, id });
    if (!entities.has(key))
      entities.set(key, { tenantId, kind, id, parts: new Map(), changed: new Set(), lastChange: -1 });
  }
  const requested = [...entities.values()];
  const { rows } = await client.query<PartRow>(
    `select p.tenant_id, p.kind, p.id, p.part, p.is_removal, p.version, p.digest, (extract(epoch from p.changed_at) * 1000)::float8 as changed_at_ms, p.facts, p.aliases
       from unnest($1::uuid[], $2::text[], $3::text[]) as requested (tenant_id, kind, id)
       join models.entity_part p on p.tenant_id = requested.tenant_id and p.kind = requested.kind and p.id = requested.id`,
    [requested.map((one) => one.tenantId), requested.map((one) => one.kind), requested.map((one) => one.id)],
  );
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
  return entities;
}

async function writeParts(client: pg.PoolClient, touched: readonly Entity[]): Promise<void> {
  const parts = touched.flatMap(({ parts, changed }) => [...changed].map((key) => parts.get(key) as EntityChange));
  if (parts.length === 0) return;
  await client.query(
    `insert into models.entity_part (tenant_id, kind, id, part, is_removal, version, digest, changed_at, facts, aliases)
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::bigint[], $7::bytea[], $8::timestamptz[], $9::text[], $10::text[])
     on conflict (tenant_id, kind, id, part, is_removal) do update
       set version = excluded.version, digest = excluded.digest, changed_at = excluded.changed_at, facts = excluded.facts, aliases = excluded.aliases`,
    [
      parts.map((one) => one.tenantId),
      parts.map((one) => one.entityKind),
      parts.map((one) => one.id),
      parts.map((one) => one.part),
      parts.map((one) => one.isRemoval),
      parts.map((one) => one.version),
      parts.map((one) => one.digest),
      parts.map((one) => new Date(one.changedAtMs).toISOString()),
      parts.map((one) => JSON.stringify(one.facts)),
      parts.map((one) => JSON.stringify(one.aliases)),
    ],
  );
}

async function writeEntities(
  client: pg.PoolClient,
  touched: readonly Entity[],
  stampOf: (index: number) => string,
  merge: MergeParts,
): Promise<void> {
  const merged = touched.map((entity) => ({ entity, entityNow: merge(entity.kind, [...entity.parts.values()]) }));
  const shown = merged.flatMap(({ entity, entityNow }) => (entityNow === null ? [] : [{ entity, entityNow }]));
  const counted: EntityFacts[] = [];
  for (const [kind, some] of Map.groupBy(shown, ({ entity }) => entity.kind)) {
    const firstSeen = await readFirstSeen(
      client,
      kind,
      some.map(({ entity }) => entity),
    );
    const rows = some.map(({ entity, entityNow }) => {
      const { tenantId, id } = entity;
      const stamp = stampOf(entity.lastChange);
      const seenAt = firstSeen.get(`${tenantId}/${id}`) ?? stamp;
      const state: RecordState = {
        tenantId,
        id,
        version: entityNow.version,
        digest: digestParts(entity),
        columns: entityNow.columns,
        times: { first_seen_at: Date.parse(seenAt) },
        members: `"firstSeenAt":"${seenAt}",${entityNow.members}`,
        detailMembers: entityNow.detailMembers,
      };
      const isDeleted = entityNow.columns.is_deleted === true;
      counted.push({ tenantId, kind, id, isDeleted, stamp, facts: `{"firstSeenAt":"${seenAt}",${entityNow.facts}}` });
      return { state, stamp };
    });
    await upsertRows(client, entityTables[kind], rows, '');
  }
  await writeEntityFacts(client, counted);
  await replaceAliases(client, shown);
  for (const { entity, entityNow } of merged)
    if (entityNow === null) await withdrawEntity(client, entity, stampOf(entity.lastChange));
}

/**
 * Deletes what turned out to be no entity, such as a folder that was reported as a file. Clients that read it see a deletion: a row leaves a
 * window only for a later one.
 */
async function withdrawEntity(client: pg.PoolClient, { tenantId, kind, id }: Entity, stamp: string): Promise<void> {
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

/** The time of an entity's first write never changes. */
async function readFirstSeen(
  client: pg.PoolClient,
  kind: EntityKind,
  entities: readonly Entity[],
): Promise<Map<string, string>> {
  const { rows } = await client.query<{ tenant_id: string; id: string; first_seen_at: Date }>(
    `select r.tenant_id, r.id, r.first_seen_at from unnest($1::uuid[], $2::text[]) as requested (tenant_id, id)
       join models.${entityTables[kind].name} r on r.tenant_id = requested.tenant_id and r.id = requested.id`,
    [entities.map(({ tenantId }) => tenantId), entities.map(({ id }) => id)],
  );
  return new Map(rows.map((row) => [`${row.tenant_id}/${row.id}`, row.first_seen_at.toISOString()]));
}

/** The digest of all parts of an entity, independent of their order. */
function digestParts({ parts }: Entity): Buffer {
  const hash = createHash('sha256');
  for (const key of [...parts.keys()].sort()) hash.update(key).update((parts.get(key) as EntityChange).digest);
  return hash.digest();
}

async function replaceAliases(
  client: pg.PoolClient,
  shown: readonly { entity: Entity; entityNow: MergedParts }[],
): Promise<void> {
  if (shown.length === 0) return;
  const entities = shown.map(({ entity }) => entity);
  const names = shown.flatMap(({ entity, entityNow }) =>
    listNames(entity, entityNow).map((alias) => ({ entity, alias })),
  );
  await client.query(
    `with named as (
       select * from unnest($4::uuid[], $5::text[], $6::text[], $7::text[]) as named (tenant_id, kind, id, alias)
     ), gone as (
       delete from models.entity_alias a using unnest($1::uuid[], $2::text[], $3::text[]) as requested (tenant_id, kind, id)
        where a.tenant_id = requested.tenant_id and a.kind = requested.kind and a.id = requested.id
          and not exists (select from named n where (n.tenant_id, n.kind, n.id, n.alias) = (a.tenant_id, a.kind, a.id, a.alias))
     )
     insert into models.entity_alias (tenant_id, kind, id, alias) select * from named on conflict do nothing`,
    [
      entities.map(({ tenantId }) => tenantId),
      entities.map(({ kind }) => kind),
      entities.map(({ id }) => id),
      names.map(({ entity }) => entity.tenantId),
      names.map(({ entity }) => entity.kind),
      names.map(({ entity }) => entity.id),
      names.map(({ alias }) => alias),
    ],
  );
}

/** Users, agents and apps are found by their ids without case, too. */
function listNames({ kind, id }: Entity, { aliases }: MergedParts): readonly string[] {
  const lowerId = id.toLowerCase();
  const isPrincipal = kind === 'user' || kind === 'agent' || kind === 'app';
  return isPrincipal && lowerId !== id && !aliases.includes(lowerId) ? [...aliases, lowerId] : aliases;
}

/** Whether an entity is served and not deleted. */
export async function isEntityLive(
  client: pg.PoolClient,
  { tenantId, entityKind, id }: { tenantId: string; entityKind: EntityKind; id: string },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from models.${entityTables[entityKind].name} where tenant_id = $1 and id = $2 and not is_deleted`,
    [tenantId, id],
  );
  return rowCount === 1;
}

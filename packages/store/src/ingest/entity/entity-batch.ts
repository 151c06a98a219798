import { createHash } from 'node:crypto';
import type { EntityKind } from '@tenantscope/contract';
import type pg from 'pg';
import { entityTables } from '../../resource/entity/tables.ts';
import { compareVersions, type RecordState, type StateOutcome, upsertRows } from '../record/record-batch.ts';
import { lockRecords } from '../record/record-lock.ts';
import { withdrawUnreportedAgents } from './audit-only-agents.ts';
import { replaceAliases } from './entity-aliases.ts';
import type { Entity, EntityChange, MergeParts, ShownEntity } from './entity-change.ts';
import { type EntityFacts, lockEntityFacts, writeEntityFacts } from './entity-facts.ts';
import { computeVersion } from './entity-version.ts';
import { createPartCache, type PartCache } from './part-cache.ts';
import { entityKey, partKey, readEntities } from './read-parts.ts';
import { entityLockClass, nameEntityLock, readStoredEntities } from './stored-entities.ts';
import { withdrawEntity } from './withdrawn-entity.ts';

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
  cache: PartCache = createPartCache(),
): Promise<StateOutcome[]> {
  if (changes.length === 0) return [];
  await lockRecords(client, entityLockClass, changes.map(nameEntityLock));
  const entities = await readEntities(client, changes, cache);
  const outcomes = changes.map((change, index) => apply(entities.get(entityKey(change)) as Entity, change, index));
  const touched = [...entities.values()].filter(({ changed }) => changed.size > 0);
  await writeParts(client, touched);
  await writeEntities(client, touched, stampOf, merge);
  for (const [key, { cached }] of entities) if (cached !== null) cache.put(key, cached);
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
  const shown: ShownEntity[] = merged.flatMap(({ entity, entityNow }) =>
    entityNow === null ? [] : [{ entity, entityNow }],
  );
  if (shown.length < merged.length) await lockEntityFacts(client, touched);
  const counted: EntityFacts[] = [];
  for (const [kind, some] of Map.groupBy(shown, ({ entity }) => entity.kind)) {
    const before = await readStoredEntities(
      client,
      kind,
      some.map(({ entity }) => entity),
    );
    const rows = some.map(({ entity, entityNow }) => {
      const { tenantId, id } = entity;
      const stamp = stampOf(entity.lastChange);
      const stored = before.get(`${tenantId}/${id}`);
      const seenAt = stored?.firstSeenAt ?? stamp;
      const state: RecordState = {
        tenantId,
        id,
        version: computeVersion(entityNow.version, { stored, stamp, wasSighted: entityNow.wasSighted }),
        digest: digestParts(entity),
        columns: entityNow.columns,
        times: { first_seen_at: Date.parse(seenAt) },
        members: `"firstSeenAt":"${seenAt}",${entityNow.members}`,
        detailMembers: entityNow.detailMembers,
      };
      const isDeleted = entityNow.columns.is_deleted === true;
      const reportedAt = stored?.reportedAt ?? stamp;
      if (entityNow.facts !== null)
        counted.push({
          tenantId,
          kind,
          id,
          isDeleted,
          stamp,
          facts: `{"firstSeenAt":"${reportedAt}",${entityNow.facts}}`,
        });
      entity.cached = { parts: entity.parts, version: state.version, digest: state.digest };
      return { state, stamp };
    });
    await upsertRows(client, entityTables[kind], rows, '');
  }
  await writeEntityFacts(client, counted);
  await replaceAliases(client, shown);
  await withdrawUnreportedAgents(client, shown, stampOf);
  for (const { entity, entityNow } of merged) {
    if (entityNow !== null) continue;
    entity.cached = null;
    await withdrawEntity(client, entity, stampOf(entity.lastChange));
  }
}

/** The digest of all parts of an entity, independent of their order: of cached parts, those of the batch alone are hashed. */
function digestParts({ parts }: Entity): Buffer {
  const sum = new Uint32Array(8);
  for (const part of parts.values()) {
    const numbers = digestPart(part);
    for (let at = 0; at < 8; at++) sum[at] = (sum[at] as number) ^ (numbers[at] as number);
  }
  return Buffer.from(sum.buffer);
}

function digestPart(part: EntityChange): Uint32Array {
  const earlier = partDigests.get(part);
  if (earlier !== undefined) return earlier;
  const hash = createHash('sha256').update(partKey(part.part, part.isRemoval)).update(part.digest);
  const numbers = new Uint32Array(new Uint8Array(hash.digest()).buffer);
  partDigests.set(part, numbers);
  return numbers;
}

const partDigests = new WeakMap<EntityChange, Uint32Array>();

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

import type { EntityKind } from '@tenantscope/contract';
import type pg from 'pg';

/** What rules and evidence count of one entity. */
export interface EntityFacts {
  tenantId: string;
  kind: EntityKind;
  id: string;
  isDeleted: boolean;
  stamp: string;
  /** JSON text of an object. */
  facts: string;
}

/** In which the backfills of files and users lock facts, too: in another order one of both would be ended as a deadlock. */
const lockOrder = 'tenant_id, kind collate "C", id collate "C"';

/** Locks what is stored of some entities, before their facts are written by several statements. */
export async function lockEntityFacts(
  client: pg.PoolClient,
  entities: readonly Pick<EntityFacts, 'tenantId' | 'kind' | 'id'>[],
): Promise<void> {
  await client.query(
    `select from models.entity_fact join unnest($1::uuid[], $2::text[], $3::text[]) as requested (tenant_id, kind, id) using (tenant_id, kind, id)
      order by ${lockOrder} for no key update of entity_fact`,
    [entities.map((one) => one.tenantId), entities.map((one) => one.kind), entities.map((one) => one.id)],
  );
}

/** Whether an account may not be used: `is_enabled` is false, or it was deleted. */
const isOut = (of: string) =>
  `(${of}.kind = 'user' and (${of}.is_deleted or ${of}.facts -> 'accountEnabled' = 'false'))`;
const isRisky = (of: string) =>
  `(not ${of}.is_deleted and ${of}.facts ->> 'riskLevel' = 'high' and coalesce(${of}.facts ->> 'riskState', 'atRisk') in ('atRisk', 'confirmedCompromised'))`;
/** The member of the stored facts, or else this value, while a state that they had goes on. */
const whileLasting = (isState: typeof isOut, member: string, otherwise: string) =>
  `case when ${isState('entity_fact')} and ${isState('excluded')} then coalesce(entity_fact.facts -> '${member}', ${otherwise}) end`;

/**
 * Since when an account is out of use, and at high risk. Providers report neither: Graph and Google have no time of disabling, and the time of a risk is
 * that of its last change. Without these every change of the record, such as a sign-in, would begin the state again. Absent: since `updated_at` or
 * `riskUpdatedAt`.
 */
const lastingStates = `case when excluded.kind in ('user', 'agent') then jsonb_strip_nulls(jsonb_build_object(
    'outSince', ${whileLasting(isOut, 'outSince', 'to_jsonb(entity_fact.updated_at)')},
    'riskSince', ${whileLasting(isRisky, 'riskSince', `entity_fact.facts -> 'riskUpdatedAt'`)})) else '{}' end`;

/** Written with the entities, whose locks the caller holds, so versions need no comparison. Each entity at most once. */
export async function writeEntityFacts(client: pg.PoolClient, entities: readonly EntityFacts[]): Promise<void> {
  if (entities.length === 0) return;
  await client.query(
    `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts)
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::timestamptz[], $6::jsonb[])
                as written (tenant_id, kind, id, is_deleted, updated_at, facts)
      order by ${lockOrder}
     on conflict (tenant_id, kind, id) do update
       set is_deleted = excluded.is_deleted, updated_at = excluded.updated_at, facts = excluded.facts || ${lastingStates}`,
    [
      entities.map((one) => one.tenantId),
      entities.map((one) => one.kind),
      entities.map((one) => one.id),
      entities.map((one) => one.isDeleted),
      entities.map((one) => one.stamp),
      entities.map((one) => one.facts),
    ],
  );
}

/** Marks the facts of what turned out to be no entity as deleted. The caller has locked those of files and users. */
export async function withdrawEntityFacts(
  client: pg.PoolClient,
  { tenantId, kind, id, stamp }: Omit<EntityFacts, 'facts' | 'isDeleted'>,
): Promise<void> {
  await client.query(
    `update models.entity_fact
        set is_deleted = true, updated_at = $4, facts = facts || jsonb_build_object('deletedAt', $5::text)
      where tenant_id = $1 and kind = $2 and id = $3`,
    [tenantId, kind, id, stamp, stamp],
  );
}

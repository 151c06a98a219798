import type { EvidenceQuery } from './ordered.ts';
import { bounds } from './section-rows.ts';

/** Who answers for an agent or an app, and where that is known from. */
export interface AccountablePerson {
  personId: string | null;
  personName: string | null;
  /** nativeOwner, nativeSponsor, assignment or none. */
  personSource: string | null;
  /** Whether the account is enabled; null where it is not known. */
  personEnabled: boolean | null;
  /** The assignment's own words, as told. */
  assignment: Readonly<Record<string, unknown>> | null;
}

export const accountableColumns = [
  'person.id as "personId"',
  'person.name as "personName"',
  'person.source as "personSource"',
  'person.enabled as "personEnabled"',
  `g.facts->'accountable' as assignment`,
];

/** Agents name their person as owner, apps as accountable. */
const reportedOwner = (ofAgent: string, ofApp: string) => `coalesce(g.facts->>'${ofAgent}', g.facts->>'${ofApp}')`;
const ownerId = reportedOwner('ownerId', 'accountableId');
const assigneeId = `g.facts->'accountable'->>'userId'`;

/**
 * The accounts of persons that the facts of a part name, by each of these names in lower case, as the rules resolve them. Where accounts share a name, an
 * enabled one comes first. Their ids are one value, by which the index is searched: a join would read all users.
 */
export function accountableAccounts(reading: EvidenceQuery, part: 'living_agent' | 'living_app' | 'subject'): string {
  const { tenant } = bounds(reading);
  return `accountable_name as materialized (
    select distinct lower(named.id) as alias from ${part} g cross join lateral (values (${ownerId}), (${assigneeId})) named (id) where named.id is not null),
  accountable_id as materialized (
    select lower(id) as alias, id, 0 as rank from models.entity_fact
     where tenant_id = ${tenant} and kind = 'user' and lower(id) in (select alias from accountable_name)
    union all
    select alias, id, 1 from models.entity_alias
     where tenant_id = ${tenant} and kind = 'user' and alias = any (array(select alias from accountable_name))),
  account as materialized (
    select distinct on (named.alias) named.alias, u.id, u.facts->>'displayName' as name, u.updated_at as stamp,
           not u.is_deleted and u.facts->'accountEnabled' = 'true' as enabled
      from accountable_id named
      join models.entity_fact u on u.tenant_id = ${tenant} and u.kind = 'user' and u.id = named.id and u.id = any (array(select id from accountable_id))
     order by named.alias, enabled desc nulls last, named.rank, u.is_deleted, named.id)`;
}

/**
 * Joined to the facts `g` of an entity, as `person`: its owner, or the assigned person where the rules count the assigned account and not that of the owner.
 * Requires `account`. The accounts are not joined laterally: behind row-level security a name taken out of facts finds no index, and each row would look
 * through all users.
 */
export const accountable = `left join account owner on owner.alias = lower(${ownerId})
  left join account assignee on assignee.alias = lower(${assigneeId})
 cross join lateral (select owner.enabled is not true and assignee.enabled is true as is_assignee) chosen
 cross join lateral (
    select case when is_assignee then assignee.id else coalesce(owner.id, ${ownerId}) end as id,
           case when is_assignee then assignee.name else coalesce(${reportedOwner('ownerName', 'accountableName')}, owner.name) end as name,
           case when is_assignee then 'assignment' else ${reportedOwner('ownerSource', 'accountableSource')} end as source,
           case when is_assignee then assignee.enabled else owner.enabled end as enabled, greatest(owner.stamp, assignee.stamp) as stamp) person`;

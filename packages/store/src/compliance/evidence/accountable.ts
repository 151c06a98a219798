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

/** What the facts of agents, of apps, or of both are called. */
type Part = 'living_agent' | 'living_app' | 'subject';

/** What identifies a row `g` of the part: an agent and an app may have the same id. */
const keyOf = (part: Part): string => (part === 'subject' ? `g.type || '/' || g.id` : 'g.id');

const listed = (member: 'owners' | 'sponsors', place: number, source: string): string =>
  `select one->>'id', ${place}, number, '${source}' from jsonb_array_elements(case when jsonb_typeof(g.facts->'${member}') = 'array' then g.facts->'${member}' end) with ordinality of_list (one, number)`;

/**
 * The accounts of persons that the facts of a part name, by each of these names in lower case, as the rules resolve them. Where accounts share a name, an
 * enabled one comes first. Their ids are one value, by which the index is searched: a join would read all users. `other_owner` is the first of the further
 * owners and sponsors whose account is in use.
 */
export function accountableAccounts(reading: EvidenceQuery, part: Part): string {
  const { tenant } = bounds(reading);
  return `named_owner as materialized (
    select ${keyOf(part)} as key, lower(named.id) as alias, named.place, named.number, named.source
      from ${part} g cross join lateral (
           select ${ownerId}, 0, 0, null union all ${listed('owners', 1, 'nativeOwner')} union all ${listed('sponsors', 2, 'nativeSponsor')}) named (id, place, number, source)
     where named.id is not null),
  accountable_name as materialized (
    select alias from named_owner union select lower(${assigneeId}) from ${part} g where ${assigneeId} is not null),
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
     order by named.alias, enabled desc nulls last, named.rank, u.is_deleted, named.id),
  other_owner as materialized (
    select distinct on (o.key) o.key, a.id, a.name, a.stamp, o.source
      from named_owner o join account a on a.alias = o.alias and a.enabled
     where o.place > 0 order by o.key, o.place, o.number)`;
}

/**
 * Joined to the facts `g` of an entity, as `person`: whom the rules count. That is its owner; where the account of this one is not in use, another owner or
 * sponsor, or else the assigned person, whose account is. Requires `account`. The accounts are not joined laterally: behind row-level security a name taken
 * out of facts finds no index, and each row would look through all users.
 */
export const accountable = (part: Part): string => `left join account owner on owner.alias = lower(${ownerId})
  left join other_owner other on other.key = ${keyOf(part)} and owner.enabled is not true
  left join account assignee on assignee.alias = lower(${assigneeId})
 cross join lateral (select case when other.key is not null then 'other' when owner.enabled is not true and assignee.enabled is true then 'assignee' else 'owner' end as who) chosen
 cross join lateral (
    select case who when 'other' then other.id when 'assignee' then assignee.id else coalesce(owner.id, ${ownerId}) end as id,
           case who when 'other' then other.name when 'assignee' then assignee.name else coalesce(${reportedOwner('ownerName', 'accountableName')}, owner.name) end as name,
           case who when 'other' then other.source when 'assignee' then 'assignment' else ${reportedOwner('ownerSource', 'accountableSource')} end as source,
           case who when 'other' then true when 'assignee' then assignee.enabled else owner.enabled end as enabled, greatest(owner.stamp, other.stamp, assignee.stamp) as stamp) person`;

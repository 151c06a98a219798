import { unfinishedBackfill } from '../metrics/clause/log-tally.ts';
import type { EvidenceQuery } from './ordered.ts';
import { bounds } from './section-rows.ts';

/** What leads from any name of an agent, in lower case, to the agent of the inventory: its own id before the alias of another. */
export const agentNames = (reading: EvidenceQuery): string => entityNames(reading, 'agent');

/** The same of entities of a kind, as `agent_name` and the like. */
export function entityNames(reading: EvidenceQuery, kind: 'agent' | 'app' | 'site'): string {
  const { tenant } = bounds(reading);
  return `${kind}_name as materialized (
    select distinct on (named.alias) named.alias, named.id, e.facts->>'displayName' as name
      from (select lower(id) as alias, id, 0 as rank from models.entity_fact where tenant_id = ${tenant} and kind = '${kind}'
            union all
            select alias, id, 1 from models.entity_alias where tenant_id = ${tenant} and kind = '${kind}') named
      join models.entity_fact e on e.tenant_id = ${tenant} and e.kind = '${kind}' and e.id = named.id
     order by named.alias, named.rank, e.is_deleted, named.id)`;
}

/**
 * Agents of the inventory that existed at some time in the window: made by its end, as far as that is known, and not gone before it began. The row
 * of an agent may be older than its facts: the audit log named it before an inventory reported it.
 */
export function agentsOfWindow(reading: EvidenceQuery): string {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return `living_agent as materialized (
    select e.id, e.facts->>'displayName' as name, e.facts, e.updated_at
      from models.entity_fact e join models.entity_agent a on a.tenant_id = e.tenant_id and a.id = e.id
     cross join lateral (select coalesce((e.facts->>'firstSeenAt')::timestamptz, a.first_seen_at) as reported_at) first
     where e.tenant_id = ${tenant} and a.tenant_id = ${tenant} and e.kind = 'agent'
       and least((e.facts->>'createdAt')::timestamptz, first.reported_at) <= ${to} and first.reported_at <= ${storedThrough}
       and (not e.is_deleted or coalesce((e.facts->>'deletedAt')::timestamptz, e.updated_at) >= ${from}))`;
}

/**
 * What leads from any name of a user, in lower case, to the user: logs name people as each of them saw fit. With `among`, a part with the column `alias`, of
 * these names alone: there may be five for each user.
 */
export function personNames(reading: EvidenceQuery, among?: string): string {
  const { tenant } = bounds(reading);
  const isId = among === undefined ? '' : `and lower(id) in (select alias from ${among})`;
  // One value, by which the index is searched: a join would read all names.
  const isAlias = among === undefined ? '' : `and alias = any (array(select alias from ${among}))`;
  return `person_name as materialized (
    select distinct on (named.alias) named.alias, named.id, e.facts->>'displayName' as name, e.facts->'isExternal' = 'true' as is_external,
           e.facts->>'department' as department
      from (select lower(id) as alias, id, 0 as rank from models.entity_fact where tenant_id = ${tenant} and kind = 'user' ${isId}
            union all
            select alias, id, 1 from models.entity_alias where tenant_id = ${tenant} and kind = 'user' ${isAlias}) named
      join models.entity_fact e on e.tenant_id = ${tenant} and e.kind = 'user' and e.id = named.id
     order by named.alias, named.rank, e.is_deleted, named.id)`;
}

/**
 * Interactions with agents, of those that `findInteractions` found, by the agents of the inventory and the people of the directory where they are known
 * there. Asks for `agent_name` and `person_name`.
 */
export function agentInteractions(interactions: string): string {
  return `interaction as materialized (
    select coalesce(a.id, l.agent_id) as agent_id, coalesce(p.id, models.lower_case(l.actor_id)) as actor_id, l.actor_type,
           ${isExternal('l.is_external', 'l.actor_type')} as is_external, p.department, l.occurred_at, l.discovered_at, l.opened
      from (select l.* from ${interactions} and l.agent_id is not null) l
      left join agent_name a on a.alias = models.lower_case(l.agent_id) left join person_name p on p.alias = models.lower_case(l.actor_id))`;
}

/** Accounts of people, of this organization or another. */
export const humanTypes = `('user', 'guest', 'partner')`;

/** Whether an actor, in the directory `p`, is from outside: what the directory has comes before what the log has. */
export function isExternal(reported: string, actorType: string): string {
  return `coalesce(p.is_external, ${reported}, ${actorType} = 'guest', false)`;
}

/**
 * Where the interactions of the window are, as `l`, with a condition: with an AI, whether their record names an agent or not. In their narrow rows,
 * or while those of older interactions are being written, in their facts.
 */
export async function findInteractions(reading: EvidenceQuery): Promise<string> {
  const { tenant, from, to, storedThrough } = bounds(reading);
  const { rowCount } = await reading.client.query(unfinishedBackfill('interaction_fact'));
  const relation = rowCount === 0 ? 'models.interaction_fact' : 'models.derived_interaction';
  return `${relation} l where l.tenant_id = ${tenant} and l.occurred_at between ${from} and ${to} and l.discovered_at <= ${storedThrough}`;
}

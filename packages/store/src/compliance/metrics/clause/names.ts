/**
 * CTEs of statements whose first values are the tenant and the time of measurement. Ids are compared in lower case: providers write GUIDs in both
 * cases, and logs name an entity by any of its names.
 */

/**
 * `agent_name (name, id)` and the like: every name of an entity, its own id before another's alias; of two that share an alias, the existing one.
 *
 * @param among a table with the column `name`, where only these names are looked up: of 100,000 names of users a statement needed 1,200, and sorted all of them
 */
export function entityNamesCte(kind: 'agent' | 'app' | 'user' | 'file' | 'site', among?: string): string {
  return `${kind}_name as materialized (
    select distinct on (called.name) called.name, called.id
      from (          select lower(id) as name, id, 0 as rank from models.entity_fact where tenant_id = $1 and kind = '${kind}' ${among ? `and lower(id) in (select name from ${among})` : ''}
            union all select alias, id, 1 from models.entity_alias where tenant_id = $1 and kind = '${kind}' ${among ? `and ${isAlias(among)}` : ''}) called
      join models.entity_fact e on e.tenant_id = $1 and e.kind = '${kind}' and e.id = called.id
     order by called.name, called.rank, e.is_deleted, called.id)`;
}

/** The aliases are one value, by which the index is searched: without nested loops a join reads all aliases, 80,000 of 20,000 users, in four times the time. */
const isAlias = (among: string): string => `alias = any (array(select name from ${among}))`;

/**
 * `person (name)`: of the names in the column `name` of a table those of accounts that are known to be in use. A deleted, disabled or unknown account is not
 * accountable.
 */
export const personCte = (among: string): string => `person as materialized (
    select distinct called.name
      from (          select lower(id) as name, id from models.entity_fact
                       where tenant_id = $1 and kind = 'user' and lower(id) in (select name from ${among})
            union all select alias, id from models.entity_alias
                       where tenant_id = $1 and kind = 'user' and ${isAlias(among)}) called
      join models.entity_fact e on e.tenant_id = $1 and e.kind = 'user' and e.id = called.id
     where not e.is_deleted and (e.facts ->> 'accountEnabled')::boolean)`;

/**
 * SELECT of decisions, as they are in force at an instant: of each record the newest state that had begun by then. A later one may be dated ahead.
 *
 * @param condition of the states `h` that are read
 */
export const decisionsInForce = (tenant: string, at: string, condition = 'true'): string => `
  select distinct on (h.id) h.id, h.version, h.facts, h.recorded_at, (h.facts ->> 'at')::timestamptz as at, h.facts #>> '{subject,type}' as subject_type, h.facts #>> '{subject,id}' as subject_id
    from models.statement_history h
   where h.tenant_id = ${tenant} and h.kind = 'decision' and (h.facts ->> 'at')::timestamptz <= ${at} and ${condition}
   order by h.id, h.version desc, h.digest desc`;

/**
 * Which of the decisions about one subject counts, as an ORDER BY: the last one. A review decides nothing, so that an approval remains one after a change of the
 * agent was reviewed; it counts where there is no other decision.
 */
export const decisionOrder = (row = 'r'): string =>
  `coalesce(${row}.facts ->> 'outcome' = 'reviewed', false), ${row}.at desc, ${row}.version desc, ${row}.id desc`;

/** `decided (id, outcome, …)`: what was decided last about each thing of a kind; requires its names, where it has any. */
export function decisionsCte(kind: 'agent' | 'app' | 'sensitiveInfoType'): string {
  const isNamed = kind !== 'sensitiveInfoType';
  return `decided as materialized (
    select id, outcome, purpose, data_categories, outcome in ('approved', 'accepted') as is_approval
      from (select distinct on (1) ${isNamed ? 'n.id' : 'models.lower_case(r.subject_id)'} as id, f.outcome, f.purpose, f."dataCategories" as data_categories
              from (${decisionsInForce('$1', '$2')}) r
             cross join lateral jsonb_to_record(r.facts) as f (outcome text, purpose text, "dataCategories" jsonb)
              ${isNamed ? `join ${kind}_name n on n.name = models.lower_case(r.subject_id)` : ''}
             where r.subject_type = '${kind}'
             order by 1, ${decisionOrder()}) decision)`;
}

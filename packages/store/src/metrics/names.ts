/**
 * Parts of statements whose first values are the tenant and the moment. Ids are compared in lower case: providers write GUIDs in both cases,
 * and logs name what they are about by whichever of its names they have.
 */

/** `agent_name (name, id)` and the like: every name of an entity, its own id before another's alias; of two that share an alias the one that lives. */
export function namesOf(kind: 'agent' | 'app' | 'user' | 'file' | 'site'): string {
  return `${kind}_name as materialized (
    select distinct on (called.name) called.name, called.id
      from (          select lower(id) as name, id, 0 as rank from models.entity_fact where tenant_id = $1 and kind = '${kind}'
            union all select alias, id, 1 from models.entity_alias where tenant_id = $1 and kind = '${kind}') called
      join models.entity_fact e on e.tenant_id = $1 and e.kind = '${kind}' and e.id = called.id
     order by called.name, called.rank, e.is_deleted, called.id)`;
}

/** `person (name)`: the names of accounts that are known to be in use. A deleted or disabled one answers for nothing, nor does an unknown one. */
export const people = `person as materialized (
    select lower(e.id) as name from models.entity_fact e
     where e.tenant_id = $1 and e.kind = 'user' and not e.is_deleted and (e.facts ->> 'accountEnabled')::boolean
     union
    select a.alias from models.entity_alias a join models.entity_fact e on e.tenant_id = $1 and e.kind = 'user' and e.id = a.id
     where a.tenant_id = $1 and a.kind = 'user' and not e.is_deleted and (e.facts ->> 'accountEnabled')::boolean)`;

/** `decided (type, name, outcome, …)`: what was decided last about each thing. */
export const decisions = `decided as materialized (
    select distinct on (subject_type, lower(subject_id)) subject_type as type, lower(subject_id) as name, facts ->> 'outcome' as outcome,
           facts ->> 'purpose' as purpose, facts -> 'dataCategories' as data_categories, facts ->> 'outcome' in ('approved', 'accepted') as is_approval
      from models.compliance_record
     where tenant_id = $1 and kind = 'decision' and (facts ->> 'at')::timestamptz <= $2
     order by subject_type, lower(subject_id), (facts ->> 'at')::timestamptz desc, changed_at desc, id desc)`;

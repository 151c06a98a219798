import { isLiveEvidence } from '../../resource/agent-evidence.ts';
import type { EvidenceQuery } from './ordered.ts';
import { bounds } from './section-rows.ts';

/**
 * Restrictions that were in force at some time in the window, as `restriction`: declared by its end, and neither lifted nor deleted before it
 * began. Their level is that of the last event by the end of the window, where there is one. Ids of types are compared in lower case, as the rules do.
 */
export function restrictions(reading: EvidenceQuery): string {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return `restriction_event as materialized (
    select r.record_id, r.restriction_id, r.happened_at, r.facts->>'event' as event, r.facts->>'toLevel' as to_level, r.updated_at
      from models.agent_evidence r
     where r.tenant_id = ${tenant} and r.kind = 'restrictionEvent' and r.happened_at <= ${to} and r.updated_at <= ${storedThrough} and ${isLiveEvidence}),
  restriction as materialized (
    select r.record_id, r.happened_at as declared_at, r.facts, coalesce(changed.to_level, r.facts->>'level') as level,
           r.facts#>>'{dataType,id}' as type_id, lower(r.facts#>>'{dataType,id}') as type_key, least(lifted.happened_at, gone.happened_at) as ended_at,
           greatest(r.updated_at, changed.updated_at, lifted.updated_at, gone.updated_at) as stamp
      from models.agent_evidence r
      left join models.agent_evidence gone on gone.tenant_id = ${tenant} and gone.is_deletion and gone.id = r.id || '/deleted' and (gone.version, gone.digest) > (r.version, r.digest)
      left join lateral (select e.happened_at, e.updated_at from restriction_event e
         where e.restriction_id = r.record_id and e.event = 'lift' and e.happened_at >= r.happened_at
           and not exists (select from restriction_event later where later.restriction_id = r.record_id and later.event = 'declare' and later.happened_at > e.happened_at)
         order by e.happened_at limit 1) lifted on true
      left join lateral (select e.to_level, e.updated_at from restriction_event e
         where e.restriction_id = r.record_id and e.to_level is not null order by e.happened_at desc, e.record_id desc limit 1) changed on true
     where r.tenant_id = ${tenant} and r.kind = 'restriction' and not r.is_deletion and r.happened_at <= ${to} and r.updated_at <= ${storedThrough}
       and coalesce(least(lifted.happened_at, gone.happened_at) >= ${from}, true))`;
}

/**
 * Files that hold what a restriction is about, as `carrier`, the digests of what they are called in logs, as `carrier_name`, and each restriction's, as `restricted_file`
 * with the time in which it is in force. Requires `restriction`.
 */
export function carriers(reading: EvidenceQuery): string {
  const { tenant, to, storedThrough } = bounds(reading);
  return `exposed as materialized (
    select x.id, x.name_digests from models.file_exposure x
     where x.tenant_id = ${tenant} and x.is_sensitive and not x.is_deleted and x.types && (select array_agg(type_key) from restriction)),
  carrier as materialized (
    select distinct f.id, lower(info_type->>'id') as type_key, f.facts->'isProtected' = 'true' as is_protected
      from exposed x
      join models.entity_fact f on f.tenant_id = ${tenant} and f.kind = 'file' and f.id = x.id
     cross join jsonb_array_elements(f.facts->'sensitiveInfoTypes') info_type
     where not f.is_deleted and f.updated_at <= ${storedThrough} and lower(info_type->>'id') in (select type_key from restriction)),
  carrier_name as materialized (
    select distinct name_digest, id as file from exposed cross join unnest(name_digests) name_digest where id in (select id from carrier)),
  restricted_file as materialized (
    select r.record_id as restriction_id, c.id as file, r.declared_at as from_at, least(r.ended_at, ${to}) as to_at
      from carrier c join restriction r on r.type_key = c.type_key)`;
}

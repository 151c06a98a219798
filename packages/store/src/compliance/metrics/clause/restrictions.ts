import { isLiveEvidence } from '../../../resource/agent-evidence.ts';

/**
 * `restriction (id, type, level, exempt, …)`: those in force at the moment, at the level of their last event. One that was lifted is deleted or ends
 * in an event that says so. It excludes whom it excludes since it was declared, declared again after it was lifted, or raised to that.
 */
export const restrictionsCtes = `restriction_event as materialized (
    select r.restriction_id, r.record_id, r.happened_at, f.event, f."fromLevel" as from_level, f."toLevel" as to_level
      from models.agent_evidence r cross join lateral jsonb_to_record(r.facts) as f (event text, "fromLevel" text, "toLevel" text)
     where r.tenant_id = $1 and r.kind = 'restrictionEvent' and ${isLiveEvidence} and r.happened_at <= $2
  ), restriction as materialized (
    select r.record_id as id, lower(f."dataType" ->> 'id') as type, f."exemptIds" as exempt, coalesce(changed.to_level, f.level) as level,
           greatest(f."declaredAt", again.at, raised.to_no_ai_at) as no_ai_since, greatest(f."declaredAt", again.at, raised.to_no_access_at) as no_access_since
      from models.agent_evidence r
     cross join lateral jsonb_to_record(r.facts) as f ("dataType" jsonb, level text, "declaredAt" timestamptz, "exemptIds" jsonb)
      left join lateral (
             select e.to_level from restriction_event e where e.restriction_id = r.record_id and e.to_level is not null
              order by e.happened_at desc, e.record_id desc limit 1) changed on true
      left join lateral (
             select max(e.happened_at) filter (where e.to_level in ('noAiAccess', 'noAccess') and e.from_level = 'monitored') as to_no_ai_at,
                    max(e.happened_at) filter (where e.to_level = 'noAccess' and e.from_level <> 'noAccess') as to_no_access_at
               from restriction_event e where e.restriction_id = r.record_id) raised on true
      left join lateral (
             select min(e.happened_at) as at from restriction_event e
              where e.restriction_id = r.record_id and e.event = 'declare'
                and e.happened_at > (select max(l.happened_at) from restriction_event l
                                      where l.restriction_id = r.record_id and l.event = 'lift' and l.happened_at >= f."declaredAt")) again on true
     where r.tenant_id = $1 and r.kind = 'restriction' and ${isLiveEvidence} and f."declaredAt" <= $2
       and not exists (
             select from restriction_event e
              where e.restriction_id = r.record_id and e.event = 'lift' and e.happened_at >= f."declaredAt"
                and not exists (select from restriction_event again
                                 where again.restriction_id = r.record_id and again.event = 'declare' and again.happened_at > e.happened_at)))`;

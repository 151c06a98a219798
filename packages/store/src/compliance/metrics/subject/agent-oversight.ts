import { isLiveEvidence } from '../../../resource/agent-evidence.ts';
import { daysAgo } from '../clause/days-ago.ts';
import { entityNamesCte, personCte } from '../clause/names.ts';
import type { Relation } from '../relation.ts';

/**
 * A look at it by a person, within 14 days: an action on the agent acknowledged, a decision about the agent or the change, or a note about the agent. A note that was
 * withdrawn is none. A record has a note or a decision for each time at which it was made: a later one does not undo that the agent was looked at before.
 */
const instructionChanges: Relation = {
  with: `
  with ${entityNamesCte('agent')}, note as (
    select distinct on (id, (facts ->> 'attestedAt')::timestamptz) facts from models.statement_history
     where tenant_id = $1 and kind = 'attestation' and facts #>> '{subject,type}' = 'agent' and recorded_at <= $2
     order by id, (facts ->> 'attestedAt')::timestamptz, version desc, digest desc
  ), decision as (
    select distinct on (id, (facts ->> 'at')::timestamptz) facts from models.statement_history
     where tenant_id = $1 and kind = 'decision' and recorded_at <= $2
     order by id, (facts ->> 'at')::timestamptz, version desc, digest desc
  ), look as (
    select coalesce(n.id, seen.name) as name, seen.at from (
                select models.lower_case(resource_id) as name, (document::json ->> 'acknowledgedAt')::timestamptz as at from models.action
                 where tenant_id = $1 and resource_type = 'agent' and not is_simulated and created_at >= $2::timestamptz - interval '1 year'
      union all select models.lower_case(facts #>> '{subject,id}'), (facts ->> 'at')::timestamptz from decision
                 where facts #>> '{subject,type}' in ('agent', 'instructionChange')
      union all select models.lower_case(facts #>> '{subject,id}'), (facts ->> 'attestedAt')::timestamptz from note
                 where coalesce((facts ->> 'withdrawnAt')::timestamptz > $2, true)) seen
      left join agent_name n on n.name = seen.name
     where seen.at <= $2
  ), change as (
    select r.record_id, coalesce(n.id, models.lower_case(r.agent_id)) as agent_id, models.lower_case(r.record_id) as name, r.happened_at
      from models.agent_evidence r left join agent_name n on n.name = models.lower_case(r.agent_id)
     where r.tenant_id = $1 and r.kind = 'instructionChange' and ${isLiveEvidence}
       and r.happened_at between ${daysAgo(90)} and ${daysAgo(14)}
  )`,
  from: 'change c',
  subject: {
    type: 'instructionChange',
    id: 'c.record_id',
    name: "(select n.document::json ->> 'displayName' from models.entity_agent n where n.tenant_id = $1 and n.id = c.agent_id)",
  },
  rules: {
    'ai.agents.instruction_changes_reviewed': {
      population: ['changes', 'true'],
      good: [
        'reviewed',
        `exists (select from look l
                  where l.name in (c.agent_id, c.name) and l.at between c.happened_at and c.happened_at + interval '14 days')`,
      ],
      reason: 'not_reviewed_within_14d',
      since: 'c.happened_at',
      detail: { agentId: 'c.agent_id' },
    },
  },
};

/** Whom the tenant named for what it classified as high-risk: the assigned person before the owners. */
const highRiskSystems: Relation = {
  with: `
  with ${entityNamesCte('agent')}, ${entityNamesCte('app')}, system_name as (
    select 'agent' as kind, name, id from agent_name union all select 'app', name, id from app_name
  ), class as (
    select distinct on (n.kind, n.id) n.kind, n.id, r.facts ->> 'class' as class
      from models.compliance_record r join system_name n on n.kind = r.subject_type and n.name = models.lower_case(r.subject_id)
     where r.tenant_id = $1 and r.kind = 'riskClass' and r.changed_at <= $2
     order by n.kind, n.id, r.changed_at desc, r.id desc
  ), system as (
    select e.kind, e.id, e.facts from models.entity_fact e join class c using (kind, id)
     where e.tenant_id = $1 and not e.is_deleted and c.class = 'high'
  ), named as (
    select kind, id, models.lower_case(o ->> 'id') as name from system
     cross join lateral jsonb_array_elements(coalesce(facts -> 'owners', '[]') || coalesce(facts -> 'sponsors', '[]')) o
     union select kind, id, models.lower_case(coalesce(facts -> 'accountable' ->> 'userId', facts ->> 'accountableId', facts ->> 'ownerId')) from system
  ), ${personCte('named')}, overseen as (
    select s.kind, s.id, bool_or(p.name is not null) as is_overseen
      from system s left join named n using (kind, id) left join person p on p.name = n.name group by s.kind, s.id
  )`,
  from: 'overseen s',
  subject: {
    type: { sql: 's.kind', among: ['agent', 'app'] },
    id: 's.id',
    order: [
      { sql: 's.id', type: 'text' },
      { sql: 's.kind', type: 'text' },
    ],
  },
  rules: {
    'ai.oversight.high_risk_assigned': {
      population: ['highRiskSystems', 'true'],
      good: ['withOversight', 'is_overseen'],
      reason: 'no_oversight_assigned',
    },
  },
};

/** Whether changes of instructions were reviewed, and who oversees high-risk systems. */
export const oversightRelations: readonly Relation[] = [instructionChanges, highRiskSystems];

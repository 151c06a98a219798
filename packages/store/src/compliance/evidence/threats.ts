import { isLiveEvidence } from '../../resource/agent-evidence.ts';
import { alertHasApps } from '../document-members.ts';
import type { EvidenceQuery } from './ordered.ts';
import { bounds, wasFirstSeen } from './section-rows.ts';

/**
 * The threats to AI systems in the window, a row for each interaction, kind and resource, as `threat`. Those of the log are without facts, which are
 * several times as long as the row: a page reads them by `log_id`. Requires `agent_name`.
 * Alerts about agents are in `agent_alert`, a row for each agent, at any time up to the end of the window.
 */
export function threats(reading: EvidenceQuery): string {
  return [
    ...alertsAboutAgents(reading),
    ...flagged(reading),
    ...reportedThreats(reading),
    riskyAgents(reading),
    all(reading),
  ].join(',\n');
}

/** What the platform did: of several findings of one kind the one it let pass decides. */
const outcomes = `('detected', 'blocked', 'unknown')`;
const threatTypes = `('jailbreak', 'xpia', 'policyBlock')`;

function flagged(reading: EvidenceQuery): string[] {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return [
    `flagged as materialized (
    select l.log_id::text as event_id, l.log_id, l.occurred_at, l.discovered_at, coalesce(a.id, l.agent_id) as agent_id,
           coalesce(l.facts->>'agentName', a.name) as agent_name, t.threat_type, t.resource_id, t.resource_name,
           case when 'detected' = any(t.found) then 'detected' when 'blocked' = any(t.found) then 'blocked' else 'unknown' end as outcome,
           l.facts->>'externalEventId' as external_event_id
      from models.log_fact l left join agent_name a on a.alias = models.lower_case(l.agent_id)
     cross join lateral (
       select threat->>'threatType' as threat_type, threat->>'resourceId' as resource_id, max(threat->>'resourceName') as resource_name,
              array_agg(threat->>'outcome') as found
         from jsonb_array_elements(l.facts->'threats') threat where threat->>'threatType' in ${threatTypes} group by 1, 2) t
     where l.tenant_id = ${tenant} and l.kind = 'aiInteraction' and jsonb_path_exists(l.facts, '$.threats[0]')
       and l.occurred_at between ${from} and ${to} and l.discovered_at <= ${storedThrough})`,
  ];
}

function reportedThreats(reading: EvidenceQuery): string[] {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return [
    `reported_threat as materialized (
    select r.record_id, r.happened_at, r.updated_at, coalesce(a.id, r.agent_id) as agent_id, coalesce(r.facts->>'agentName', a.name) as agent_name,
           r.facts->>'flag' as threat_type, r.facts
      from models.agent_evidence r left join agent_name a on a.alias = models.lower_case(r.agent_id)
     where r.tenant_id = ${tenant} and r.kind = 'threatEvent' and r.happened_at between ${from} and ${to}
       and r.updated_at <= ${storedThrough} and ${isLiveEvidence})`,
  ];
}

/** The last known change of an agent's risk, as long as it is one. */
function riskyAgents(reading: EvidenceQuery): string {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return `risky as materialized (
    select e.id as agent_id, e.facts->>'displayName' as agent_name, e.facts->>'riskLevel' as severity, e.facts->>'riskState' as risk_state,
           (e.facts->>'riskUpdatedAt')::timestamptz(3) as occurred_at, e.updated_at, e.facts
      from models.entity_fact e
     where e.tenant_id = ${tenant} and e.kind = 'agent' and e.facts->>'riskLevel' in ('low', 'medium', 'high')
       and (e.facts->>'riskUpdatedAt')::timestamptz(3) between ${from} and ${to} and e.updated_at <= ${storedThrough})`;
}

function alertsAboutAgents(reading: EvidenceQuery): string[] {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return [
    // An alert follows the activity it reports: alerts raised before the window are not about activity within it.
    `alert as materialized (
    select r.id, r.updated_at, r.created_at, r.severity, r.document::json as listed
      from models.security_alert r
     where r.tenant_id = ${tenant} and r.created_at >= ${from} - interval '1 day' and ${wasFirstSeen(storedThrough)} and ${alertHasApps('r')})`,
    `alert_agent as materialized (
    select distinct on (found.id, found.agent_id) found.*
      from (select a.id, coalesce(own.id, other.id, case when app->>'kind' = 'agent' then app->>'id' end) as agent_id,
                   coalesce(own.name, other.name, app->>'name') as agent_name
              from alert a cross join json_array_elements(a.listed->'apps') app
              left join agent_name own on own.alias = models.lower_case(app->>'id')
              left join agent_name other on other.alias = models.lower_case(app->>'appId')) found
     where found.agent_id is not null order by found.id, found.agent_id, found.agent_name)`,
    `agent_alert as materialized (
    select a.id, a.updated_at, begun.occurred_at, a.severity, n.agent_id, n.agent_name, a.listed->>'status' as status,
           (${ownDetail}->>'resolvedDateTime')::timestamptz(3) as resolved_at,
           greatest((${ownDetail}->>'lastActivityDateTime')::timestamptz(3), a.created_at) as last_at
      from alert_agent n join alert a on a.id = n.id
      join models.security_alert s on s.tenant_id = ${tenant} and s.id = n.id
     cross join lateral (select coalesce((a.listed->>'firstActivityDateTime')::timestamptz(3), a.created_at) as occurred_at) begun
     where begun.occurred_at <= ${to})`,
  ];
}

function all(reading: EvidenceQuery): string {
  const { from, to } = bounds(reading);
  return `threat as materialized (
    select row_number() over () as number, reported.* from (
    select f.event_id, f.log_id, f.occurred_at, f.discovered_at, f.agent_id, f.agent_name, f.threat_type, f.resource_id, f.resource_name,
           f.outcome, null as severity, null::jsonb as facts, 'log' as reported_by
      from flagged f
    union all
    select t.record_id, null, t.happened_at, t.updated_at, t.agent_id, t.agent_name, t.threat_type, t.facts->>'resourceId', t.facts->>'resourceName',
           case when t.facts->>'outcome' in ${outcomes} then t.facts->>'outcome' else 'unknown' end, t.facts->>'severity', t.facts, 'record'
      from reported_threat t
     where not exists (select from flagged f where f.threat_type = t.threat_type and f.event_id = lower(t.facts->>'logId'))
       and not exists (select from flagged f where f.threat_type = t.threat_type and f.external_event_id = coalesce(t.facts->>'externalEventId', t.record_id))
    union all
    select 'riskyAgent:' || r.agent_id, null, r.occurred_at, r.updated_at, r.agent_id, r.agent_name, 'riskyAgent', null, null, 'detected', r.severity, r.facts, 'risk'
      from risky r
     where not exists (select from reported_threat t where t.threat_type = 'riskyAgent' and t.agent_id = r.agent_id and t.happened_at = r.occurred_at)
    union all
    select distinct on (a.id) a.id, null::uuid, a.occurred_at, a.updated_at, a.agent_id, a.agent_name, 'alert', null, null, 'detected', a.severity, null::jsonb, 'alert'
      from agent_alert a
     where a.occurred_at between ${from} and ${to}
       and not exists (select from reported_threat t where t.threat_type = 'alert' and (t.record_id = a.id or t.facts->'relatedAlertIds' ? a.id))) reported)`;
}

/** The detail of the alert `s` without the provider's raw data, which may contain JSON that the server cannot parse. */
const ownDetail = `(case when s.detail like '%,"rawData":%' then split_part(s.detail, ',"rawData":', 1) || '}' else s.detail end)::json`;

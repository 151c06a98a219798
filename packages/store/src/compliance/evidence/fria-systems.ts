import { decisionOrder, decisionsInForce } from '../metrics/clause/names.ts';
import { type AccountablePerson, accountable, accountableAccounts, accountableColumns } from './accountable.ts';
import {
  agentInteractions,
  agentNames,
  agentsOfWindow,
  findInteractions,
  humanTypes,
  personNames,
} from './agent-queries.ts';
import { attestationsInForce } from './attestations.ts';
import { incidents } from './incidents.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { restrictions } from './restrictions.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';

type Members = Readonly<Record<string, unknown>>;

export interface FriaSystem extends AccountablePerson {
  agentId: string;
  agentName: string;
  /** Of the inventory, unserved members too. */
  facts: Members;
  /** Secrets masked when they were stored. */
  instructions: string | null;
  riskClass: string | null;
  /** What was decided about it. */
  decision: Members | null;
  firstUsedMs: number | null;
  lastUsedMs: number | null;
  eventCount: number | null;
  activeDays: number | null;
  users: number | null;
  externalUsers: number | null;
  departments: readonly string[] | null;
  /** Levels of its sensitive types that are restricted. */
  restricted: readonly { id: string; level: string }[] | null;
  threatEvents: number;
  detections: number;
  alerts: number;
  openIncidents: number;
  lastIncidentMs: number | null;
  remediationActions: number;
  /** The attestations in force at the window's end, of the agent before those of the organization. */
  dpia: Members | null;
  personsInformed: Members | null;
  stampMs: number;
}

/** What an assessment of the impact on fundamental rights needs to know of each agent that existed in the window. */
export async function readFriaSystems(
  reading: EvidenceQuery,
  page: EvidencePage,
  validityDays: Readonly<Record<'prv.attest.dpia' | 'ai.attest.persons_informed', number>>,
): Promise<OrderedRows<FriaSystem>> {
  const { tenant, to } = bounds(reading);
  const interactions = await findInteractions(reading);
  return readSectionRows<FriaSystem>(
    reading,
    {
      parts: [
        agentNames(reading),
        personNames(reading),
        agentsOfWindow(reading),
        agentInteractions(interactions),
        ...incidents(reading),
        restrictions(reading),
        riskClasses(reading),
        decisions(reading),
        attestationsInForce(reading, validityDays),
        usage(),
        accountableAccounts(reading, 'living_agent'),
        `suffered as materialized (
          select i.agent_id, count(*) filter (where i.kind = 'threatEvent')::int as threat_events, count(*) filter (where i.kind = 'detection')::int as detections,
                 count(*) filter (where i.kind = 'alert')::int as alerts, count(*) filter (where i.is_open)::int as open_incidents, max(i.occurred_at) as last_at, max(i.stamp) as stamp
            from incident i where i.agent_id is not null group by i.agent_id)`,
        `remedied as materialized (
          select d.agent_id, count(*)::int as actions, max(d.updated_at) as stamp from agent_action d group by d.agent_id)`,
      ],
      rows: `select a.id as "agentId", coalesce(a.name, a.id) as "agentName" from living_agent a`,
      columns: [
        'g.facts',
        `e.detail::json->>'instructions' as instructions`,
        'k.class as "riskClass"',
        'c.facts as decision',
        `${epochMilliseconds('u.first_at')} as "firstUsedMs"`,
        `${epochMilliseconds('u.last_at')} as "lastUsedMs"`,
        'u.events as "eventCount"',
        'u.active_days as "activeDays"',
        'u.users',
        'u.external_users as "externalUsers"',
        'u.departments',
        `(select jsonb_agg(distinct jsonb_build_object('id', r.type_id, 'level', r.level)) from restriction r
           where coalesce(r.ended_at > ${to}, true) and r.type_key in (select lower(info_type->>'id') from jsonb_array_elements(g.facts->'sensitiveInfoTypes') info_type where jsonb_typeof(g.facts->'sensitiveInfoTypes') = 'array')) as restricted`,
        ...accountableColumns,
        'coalesce(s.threat_events, 0) as "threatEvents"',
        'coalesce(s.detections, 0) as detections',
        'coalesce(s.alerts, 0) as alerts',
        'coalesce(s.open_incidents, 0) as "openIncidents"',
        `${epochMilliseconds('s.last_at')} as "lastIncidentMs"`,
        'coalesce(m.actions, 0) as "remediationActions"',
        'dpia.facts as dpia',
        'informed.facts as "personsInformed"',
        `${epochMilliseconds('greatest(g.updated_at, k.stamp, c.stamp, u.stamp, s.stamp, m.stamp, dpia.stamp, informed.stamp, person.stamp)')} as "stampMs"`,
      ],
      joins: [
        'join living_agent g on g.id = p."agentId"',
        `join models.entity_agent e on e.tenant_id = ${tenant} and e.id = p."agentId"`,
        'left join risk_class k on k.agent_id = p."agentId"',
        'left join decided c on c.agent_id = p."agentId"',
        'left join used u on u.agent_id = p."agentId"',
        'left join suffered s on s.agent_id = p."agentId"',
        'left join remedied m on m.agent_id = p."agentId"',
        accountable('living_agent'),
        attestationOf('dpia', 'prv.attest.dpia'),
        attestationOf('informed', 'ai.attest.persons_informed'),
      ],
      order: [
        { column: 'agentName', type: 'text' },
        { column: 'agentId', type: 'text' },
      ],
    },
    page,
  );

  function attestationOf(name: string, requirement: string): string {
    return `left join lateral (select t.facts, t.updated_at as stamp from attested t
      where t.requirement_key = '${requirement}' and (t.subject_id is null or t.agent_id = p."agentId")
      order by t.subject_id is null limit 1) ${name} on true`;
  }
}

/** The risk class recorded of each agent last, as `risk_class`. */
export function riskClasses(reading: EvidenceQuery): string {
  const { tenant, storedThrough } = bounds(reading);
  return `risk_class as materialized (
    select distinct on (n.id) n.id as agent_id, r.facts->>'class' as class, r.updated_at as stamp
      from models.compliance_record r join agent_name n on n.alias = models.lower_case(r.subject_id)
     where r.tenant_id = ${tenant} and r.kind = 'riskClass' and r.subject_type = 'agent' and r.updated_at <= ${storedThrough}
     order by n.id, r.changed_at desc, r.id desc)`;
}

function decisions(reading: EvidenceQuery): string {
  const { tenant, to, storedThrough } = bounds(reading);
  return `decided as materialized (
    select distinct on (n.id) n.id as agent_id, r.facts, r.recorded_at as stamp
      from (${decisionsInForce(tenant, to, `h.recorded_at <= ${storedThrough}`)}) r join agent_name n on n.alias = models.lower_case(r.subject_id)
     where r.subject_type = 'agent'
     order by n.id, ${decisionOrder()})`;
}

/** By whom and how often each agent was used. */
function usage(): string {
  return `used as materialized (
    select i.agent_id, min(i.occurred_at) as first_at, max(i.occurred_at) as last_at, max(i.discovered_at) as stamp, count(*)::float8 as events,
           count(distinct (i.occurred_at at time zone 'UTC')::date)::int as active_days,
           (count(distinct i.actor_id) filter (where i.actor_type in ${humanTypes}))::int as users,
           (count(distinct i.actor_id) filter (where i.actor_type in ${humanTypes} and i.is_external))::int as external_users,
           coalesce(jsonb_agg(distinct i.department) filter (where i.department is not null), '[]') as departments
      from interaction i group by i.agent_id)`;
}

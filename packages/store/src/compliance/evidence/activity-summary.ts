import { readTogether } from '../../connection/index.ts';
import { agentNames, agentsOfWindow, findInteractions, humanTypes, isExternal, personNames } from './agent-queries.ts';
import { nothingOpened, type OpenedResources, readOpenedResources } from './opened-resources.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';

export interface AgentActivity extends OpenedResources {
  /** Null in the row of the interactions whose record names no agent. */
  agentId: string | null;
  agentName: string | null;
  eventCount: number;
  distinctActors: number;
  externalActors: number;
  eventsByAction: Readonly<Record<string, number>> | null;
  firstEventMs: number | null;
  lastEventMs: number | null;
  activeDays: number;
  unattributedEvents: number;
}

/**
 * What each agent was used for in the window: those that were used, known to the inventory or not, and those that were not, as long as the
 * tenant's log has any interaction. Interactions whose record names no agent, such as those with Copilot itself, have one row. Ids that differ in
 * letter case only are one agent.
 */
export async function readAgentActivity(
  reading: EvidenceQuery,
  page: EvidencePage,
): Promise<OrderedRows<AgentActivity>> {
  const interactions = await findInteractions(reading);
  const [used, opened] = await readTogether<[OrderedRows<AgentUse>, ReadonlyMap<string, OpenedResources>]>(
    reading.client,
    [
      (client) => readAgentUses({ ...reading, client }, interactions, page),
      (client) => readOpenedResources({ ...reading, client }, interactions),
    ],
  );
  const rows = used.rows.map(({ lowerId, ...use }) => ({ ...use, ...(opened.get(lowerId ?? '') ?? nothingOpened) }));
  return { ...used, rows };
}

interface AgentUse extends Omit<AgentActivity, keyof OpenedResources> {
  readonly lowerId: string | null;
}

function readAgentUses(
  reading: EvidenceQuery,
  interactions: string,
  page: EvidencePage,
): Promise<OrderedRows<AgentUse>> {
  const { tenant, storedThrough } = bounds(reading);
  return readSectionRows<AgentUse>(
    reading,
    {
      parts: [
        agentNames(reading),
        ...usesInLog(interactions),
        'actor as materialized (select distinct models.lower_case(u.actor_id) as alias from (select distinct actor_id from logged_use) u where u.actor_id is not null)',
        personNames(reading, 'actor'),
        agentsOfWindow(reading),
        uses,
      ],
      rows: `
        select min(u.agent_id collate "C") as "agentId", max(u.agent_name collate "C") as "agentName", sum(u.events)::float8 as "eventCount",
               (count(distinct u.actor_id) filter (where u.actor_type in ${humanTypes}))::int as "distinctActors",
               (count(distinct u.actor_id) filter (where u.actor_type in ${humanTypes} and u.is_external))::int as "externalActors",
               ${epochMilliseconds('min(u.first_at)')} as "firstEventMs", ${epochMilliseconds('max(u.last_at)')} as "lastEventMs",
               coalesce(sum(u.events) filter (where u.actor_id is null), 0)::int as "unattributedEvents"
          from agent_use u group by u.lower_id
        union all
        select a.id, a.name, 0, 0, 0, null, null, 0 from living_agent a
         where not exists (select from agent_use u where u.agent_id = a.id)
           and exists (select from models.log_fact l where l.tenant_id = ${tenant} and l.kind = 'aiInteraction' and l.discovered_at <= ${storedThrough})`,
      columns: [
        'actions."eventsByAction"',
        'coalesce(active.days, 0) as "activeDays"',
        'models.lower_case(p."agentId") as "lowerId"',
      ],
      joins: [
        `left join (select counted.agent_id, jsonb_object_agg(counted.action, counted.events) as "eventsByAction"
            from (select u.lower_id as agent_id, u.action, sum(u.events) as events from agent_use u where u.action is not null group by 1, 2) counted
           group by counted.agent_id) actions on ${isOfRow('actions')}`,
        `left join (select models.lower_case(coalesce(a.id, d.agent_id)) as agent_id, count(distinct d.day)::int as days
            from logged_day d left join agent_name a on a.alias = models.lower_case(d.agent_id) group by 1) active on ${isOfRow('active')}`,
      ],
      order: [
        { column: 'eventCount', type: 'number', isDescending: true },
        { column: 'agentId', type: 'text' },
      ],
    },
    page,
  );
}

/** Equality of texts, which can be hashed where "is not distinct from" cannot. No agent's id is empty. */
const isOfRow = (joined: string): string =>
  `coalesce(${joined}.agent_id, '') = coalesce(models.lower_case(p."agentId"), '')`;

/**
 * Interactions of the window as the log names them, those of one agent, actor and action in one row, and the days of each agent: names are compared and actors
 * counted for a few rows, not for each interaction. Not as grouping sets, for which the server would sort all interactions.
 */
function usesInLog(interactions: string): readonly string[] {
  return [
    `logged_use as materialized (
    select l.agent_id, l.actor_id, l.agent_name, l.actor_type, l.is_external, l.action,
           count(*) as events, min(l.occurred_at) as first_at, max(l.occurred_at) as last_at
      from ${interactions} group by 1, 2, 3, 4, 5, 6)`,
    `logged_day as materialized (
    select l.agent_id, (l.occurred_at at time zone 'UTC')::date as day from ${interactions} group by 1, 2)`,
  ];
}

const uses = `agent_use as materialized (
    select coalesce(a.id, u.agent_id) as agent_id, models.lower_case(coalesce(a.id, u.agent_id)) as lower_id, coalesce(a.name, u.agent_name) as agent_name, coalesce(p.id, models.lower_case(u.actor_id)) as actor_id, u.actor_type,
           ${isExternal('u.is_external', 'u.actor_type')} as is_external, u.action, u.events, u.first_at, u.last_at
      from logged_use u left join agent_name a on a.alias = models.lower_case(u.agent_id) left join person_name p on p.alias = models.lower_case(u.actor_id))`;

import { unfinishedBackfill } from '../metrics/log-tally.ts';
import { agentNames, agentsOfWindow, allInteractions, humanTypes, personNames } from './agent-queries.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';

export interface AgentActivity {
  /** Null in the row of the interactions whose record names no agent. */
  agentId: string | null;
  agentName: string | null;
  eventCount: number;
  distinctActors: number;
  externalActors: number;
  eventsByAction: Readonly<Record<string, number>> | null;
  accessedResources: number | null;
  sensitiveResources: number | null;
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
export function readAgentActivity(reading: EvidenceQuery, page: EvidencePage): Promise<OrderedRows<AgentActivity>> {
  const { tenant, storedThrough } = bounds(reading);
  return readSectionRows<AgentActivity>(
    reading,
    {
      parts: [
        agentNames(reading),
        personNames(reading),
        agentsOfWindow(reading),
        allInteractions(reading),
        openedResources,
        sensitiveFiles(reading),
      ],
      rows: `
        select min(i.agent_id collate "C") as "agentId", max(i.agent_name collate "C") as "agentName", count(*)::float8 as "eventCount",
               (count(distinct i.actor_id) filter (where i.actor_type in ${humanTypes}))::int as "distinctActors",
               (count(distinct i.actor_id) filter (where i.actor_type in ${humanTypes} and i.is_external))::int as "externalActors",
               ${epochMilliseconds('min(i.occurred_at)')} as "firstEventMs", ${epochMilliseconds('max(i.occurred_at)')} as "lastEventMs",
               count(distinct (i.occurred_at at time zone 'UTC')::date)::int as "activeDays",
               (count(*) filter (where i.actor_id is null))::int as "unattributedEvents"
          from interaction i group by lower(i.agent_id)
        union all
        select a.id, a.name, 0, 0, 0, null, null, 0, 0 from living_agent a
         where not exists (select from interaction i where i.agent_id = a.id)
           and exists (select from models.log_fact l where l.tenant_id = ${tenant} and l.kind = 'aiInteraction' and l.discovered_at <= ${storedThrough})`,
      columns: ['actions."eventsByAction"', 'touched."accessedResources"', 'touched."sensitiveResources"'],
      joins: [
        `left join (select counted.agent_id, jsonb_object_agg(counted.action, counted.events) as "eventsByAction"
            from (select lower(i.agent_id) as agent_id, i.action, count(*) as events from interaction i where i.action is not null group by 1, 2) counted
           group by counted.agent_id) actions on ${isOfRow('actions')}`,
        `left join (select resource.agent_id, count(*)::int as "accessedResources",
               case when not exists (${unfinishedBackfill('file')}) then (count(*) filter (where resource.is_labelled or f.alias is not null))::int end as "sensitiveResources"
            from resource left join sensitive_file f on f.alias = resource.alias
           group by resource.agent_id) touched on ${isOfRow('touched')}`,
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
function isOfRow(joined: string): string {
  return `coalesce(${joined}.agent_id, '') = coalesce(lower(p."agentId"), '')`;
}

/** What the interactions of an agent opened, by its name. */
const openedResources = `resource as materialized (
    select lower(i.agent_id) as agent_id, lower(coalesce(r->>'id', r->>'name')) as alias, bool_or(r->>'labelId' is not null) as is_labelled
      from interaction i cross join jsonb_array_elements(i.resources) r
     where jsonb_typeof(i.resources) = 'array' and coalesce(r->>'id', r->>'name') is not null group by 1, 2)`;

/**
 * Files with sensitive information by those of their names that were opened. The names are one value, by which the index is searched: a join reads all names,
 * a million of 500,000 files.
 */
function sensitiveFiles(reading: EvidenceQuery): string {
  const { tenant } = bounds(reading);
  return `opened as materialized (
    select distinct alias from resource),
  sensitive as materialized (
    select id from models.file_exposure where tenant_id = ${tenant} and is_sensitive),
  sensitive_file as materialized (
    select lower(id) as alias from sensitive where lower(id) in (select alias from opened)
    union select a.alias from models.entity_alias a join sensitive s on s.id = a.id
           where a.tenant_id = ${tenant} and a.kind = 'file' and a.alias = any (array(select alias from opened)))`;
}

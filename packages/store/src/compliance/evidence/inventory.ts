import { type AccountablePerson, accountable, accountableAccounts, accountableColumns } from './accountable.ts';
import { riskClasses } from './fria-systems.ts';
import { agentGrants } from './grants.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';

export interface InventoryAgent extends AccountablePerson {
  agentId: string;
  name: string;
  /** Whether an inventory reports it; otherwise only interactions name it and all other members but the times are unknown. */
  isReported: boolean;
  /** Of the entity, unserved members too; empty where only interactions name the agent. */
  facts: Readonly<Record<string, unknown>>;
  isDeleted: boolean;
  /** Of an agent that only interactions name, the oldest stored interaction. */
  firstSeenMs: number;
  total: number;
  direct: number;
  inherited: number;
  declared: number;
  tenantWide: number;
  write: number;
  adminConsented: number;
  riskClass: string | null;
  /** The newest event by the end of the window. */
  lastEventMs: number | null;
  stampMs: number;
}

/** Agents that existed at some time in the window: those of the inventories, and those that only interactions in the window name. */
export function readInventory(reading: EvidenceQuery, page: EvidencePage): Promise<OrderedRows<InventoryAgent>> {
  const { tenant, to } = bounds(reading);
  return readSectionRows<InventoryAgent>(
    reading,
    {
      parts: [
        ...agentGrants(reading),
        riskClasses(reading),
        `counted as materialized (
          select g.agent_id, count(*)::int as total, (count(*) filter (where g.source = 'direct'))::int as direct,
                 (count(*) filter (where g.source = 'inherited'))::int as inherited, (count(*) filter (where g.source = 'declared'))::int as declared,
                 (count(*) filter (where g.tenant_wide))::int as tenant_wide, (count(*) filter (where g.write_access))::int as write,
                 (count(*) filter (where g.admin_consented))::int as admin_consented, max(g.updated_at) as stamp
            from agent_grant g group by g.agent_id)`,
        namedAgents(reading),
        `used as materialized (
          select coalesce(n.id, l.agent_id) as agent_id, min(l.first_at) as first_at, max(l.last_at) as last_at
            from named_agent l left join agent_name n on n.alias = models.lower_case(l.agent_id) group by 1)`,
        unreportedAgents,
        accountableAccounts(reading, 'living_agent'),
      ],
      rows: `select a.id as "agentId", coalesce(a.name, a.id) as name from living_agent a
             union all
             select b.id, b.name from unreported_agent b`,
      columns: [
        'g.id is not null as "isReported"',
        `coalesce(g.facts, '{}') as facts`,
        'coalesce(e.is_deleted, false) as "isDeleted"',
        `${epochMilliseconds('coalesce(e.first_seen_at, u.first_at)')} as "firstSeenMs"`,
        ...['total', 'direct', 'inherited', 'declared', 'write'].map((name) => `coalesce(c.${name}, 0) as ${name}`),
        'coalesce(c.tenant_wide, 0) as "tenantWide"',
        'coalesce(c.admin_consented, 0) as "adminConsented"',
        'k.class as "riskClass"',
        `${epochMilliseconds(`greatest(u.last_at, case when (g.facts->>'lastActivityAt')::timestamptz <= ${to} then (g.facts->>'lastActivityAt')::timestamptz(3) end)`)} as "lastEventMs"`,
        ...accountableColumns,
        `${epochMilliseconds('greatest(g.updated_at, b.stamp, c.stamp, k.stamp, person.stamp)')} as "stampMs"`,
      ],
      joins: [
        'left join living_agent g on g.id = p."agentId"',
        'left join unreported_agent b on b.id = p."agentId"',
        `left join models.entity_agent e on e.tenant_id = ${tenant} and e.id = g.id`,
        'left join counted c on c.agent_id = p."agentId"',
        'left join risk_class k on k.agent_id = p."agentId"',
        'left join used u on u.agent_id = p."agentId"',
        accountable('living_agent'),
      ],
      order: [
        { column: 'name', type: 'text' },
        { column: 'agentId', type: 'text' },
      ],
    },
    page,
  );
}

/** Characters of a name that the index has: an entry of the index has 2,704 bytes at most. */
const indexedNameLength = 128;

/**
 * Agents as interactions name them: when, and in the window with which name; `stamp` is null of those that none of the window names. Ids that differ
 * in letter case only are one agent, as the read models have it. Times come from the index `log_fact_agent` alone. A name is the last one of its agent in
 * that index, and is read only of agents whose name no inventory has. Requires `agent_name`.
 */
function namedAgents(reading: EvidenceQuery): string {
  const { tenant, from, to, storedThrough } = bounds(reading);
  const interactions = `models.log_fact l where l.tenant_id = ${tenant} and l.kind = 'aiInteraction' and l.discovered_at <= ${storedThrough}`;
  const indexedName = `left(l.facts->>'agentName', ${indexedNameLength})`;
  const inWindow = `${interactions} and l.agent_id = s.agent_id and l.occurred_at between ${from} and ${to}`;
  return `spelled_agent as materialized (
    select l.agent_id, min(l.occurred_at) as first_at, max(l.occurred_at) as last_at, max(l.discovered_at) filter (where l.occurred_at >= ${from}) as stamp
      from ${interactions} and l.agent_id is not null and l.occurred_at <= ${to} group by l.agent_id),
  named_agent as materialized (
    select min(s.agent_id collate "C") as agent_id, min(s.first_at) as first_at, max(s.last_at) as last_at, max(s.stamp) as stamp, max(shown.name collate "C") as name
      from spelled_agent s left join agent_name n on n.alias = models.lower_case(s.agent_id)
      left join lateral (
        select case when length(newest.name) = ${indexedNameLength} then (select max((l.facts->>'agentName') collate "C") from ${inWindow})
                    else newest.name end as name
          from (select ${indexedName} as name from ${inWindow} and n.name is null and s.stamp is not null order by ${indexedName} collate "C" desc nulls last limit 1) newest) shown on true
     group by models.lower_case(s.agent_id))`;
}

/** Agents that interactions in the window name and no inventory of the window has. */
const unreportedAgents = `unreported_agent as materialized (
    select coalesce(n.id, l.agent_id) as id, coalesce(max(coalesce(n.name, l.name) collate "C"), max(coalesce(n.id, l.agent_id))) as name,
           max(l.stamp) as stamp
      from named_agent l left join agent_name n on n.alias = models.lower_case(l.agent_id)
     where l.stamp is not null and not exists (select from living_agent a where a.id = coalesce(n.id, l.agent_id))
     group by 1)`;

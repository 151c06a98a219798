import { decisionOrder, decisionsInForce } from '../metrics/clause/names.ts';
import { agentNames, agentsOfWindow } from './agent-queries.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';

export interface ShelvedAgent {
  agentId: string;
  agentName: string;
  facts: Readonly<Record<string, unknown>>;
  firstSeenMs: number;
  decision: Readonly<Record<string, unknown>> | null;
  stampMs: number;
}

/** What was decided last about each subject of a type by the end of the window, as `decided`, by lower-case id as it was told. */
export function decisionsOn(reading: EvidenceQuery, subjectType: 'agent' | 'app'): string {
  const { tenant, to, storedThrough } = bounds(reading);
  return `decided as materialized (
    select distinct on (models.lower_case(r.subject_id)) models.lower_case(r.subject_id) as subject, r.facts, r.recorded_at as stamp, r.at, r.version, r.id
      from (${decisionsInForce(tenant, to, `h.recorded_at <= ${storedThrough}`)}) r
     where r.subject_type = '${subjectType}'
     order by 1, ${decisionOrder()})`;
}

/** Agents that users may add without an administrator and that are deployed to no user. */
export function readStoreShelf(reading: EvidenceQuery, page: EvidencePage): Promise<OrderedRows<ShelvedAgent>> {
  const { tenant } = bounds(reading);
  return readSectionRows<ShelvedAgent>(
    reading,
    {
      parts: [agentNames(reading), agentsOfWindow(reading), decisionsOn(reading, 'agent')],
      rows: `select a.id as "agentId", coalesce(a.name, a.id) as "agentName" from living_agent a
              where a.facts->>'availableTo' in ('some', 'all') and a.facts->>'deployedTo' = 'none' and a.facts->'isBlocked' is distinct from 'true'`,
      columns: [
        'g.facts',
        `${epochMilliseconds('e.first_seen_at')} as "firstSeenMs"`,
        'd.facts as decision',
        `${epochMilliseconds('greatest(g.updated_at, d.stamp)')} as "stampMs"`,
      ],
      joins: [
        'join living_agent g on g.id = p."agentId"',
        `join models.entity_agent e on e.tenant_id = ${tenant} and e.id = p."agentId"`,
        `left join lateral (select c.facts, c.stamp from agent_name n join decided c on c.subject = n.alias
           where n.id = p."agentId" order by ${decisionOrder('c')} limit 1) d on true`,
      ],
      order: [
        { column: 'agentName', type: 'text' },
        { column: 'agentId', type: 'text' },
      ],
    },
    page,
  );
}

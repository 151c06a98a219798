import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows, wasFirstSeen } from './section-rows.ts';

export interface AiDetection {
  detectionId: string;
  openedMs: number;
  /** The document that is served. */
  listed: Readonly<Record<string, unknown>>;
}

/** Episodes that were opened in the window on AI systems, of the informational tier too. */
export function readAiDetections(reading: EvidenceQuery, page: EvidencePage): Promise<OrderedRows<AiDetection>> {
  const { tenant } = bounds(reading);
  return readSectionRows<AiDetection>(
    reading,
    {
      parts: [aiDetections(reading)],
      rows: `select d.id as "detectionId", ${epochMilliseconds('d.opened_at')} as "openedMs" from ai_detection d`,
      columns: ['r.listed'],
      joins: [
        `cross join lateral (select d.document::json as listed from models.detection d where d.tenant_id = ${tenant} and d.id = p."detectionId" limit 1) r`,
      ],
      order: [
        { column: 'openedMs', type: 'time' },
        { column: 'detectionId', type: 'text' },
      ],
    },
    page,
  );
}

/** Episodes of agents, of apps that are AI, and of whatever else did something with AI, as `ai_detection`, with a column more where one is read. */
export function aiDetections(reading: EvidenceQuery, ...more: readonly string[]): string {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return `ai_app as materialized (
    select e.id from models.entity_fact e where e.tenant_id = ${tenant} and e.kind = 'app' and e.facts->'isAiApp' = 'true'
    union select a.alias from models.entity_alias a join models.entity_fact e on e.tenant_id = a.tenant_id and e.kind = 'app' and e.id = a.id
     where a.tenant_id = ${tenant} and e.tenant_id = ${tenant} and a.kind = 'app' and e.facts->'isAiApp' = 'true'),
  ai_detection as materialized (
    select ${['r.id, r.opened_at, r.updated_at, r.entity_type, r.entity_id', ...more].join(', ')}
      from models.detection r
     where r.tenant_id = ${tenant} and r.opened_at between ${from} and ${to} and ${wasFirstSeen(storedThrough)}
       and (r.entity_type = 'agent' or r.action_group like 'ai.%' or r.action_group like 'agent.%'
            or (r.entity_type = 'app' and (r.entity_id in (select id from ai_app) or models.lower_case(r.entity_id) in (select id from ai_app)))))`;
}

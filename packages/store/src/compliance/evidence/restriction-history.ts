import { isLiveEvidence } from '../../resource/agent-evidence.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';

export interface RestrictionEvent {
  eventId: string;
  restrictionId: string | null;
  occurredMs: number;
  /** As the producer told it. */
  facts: Readonly<Record<string, unknown>>;
  /** What the restriction itself says of what it is about, for events that do not. */
  restrictionType: unknown;
  typeName: string | null;
}

/** What was declared, modified and lifted in the window, with the exposure that was stored with each event. */
export function readRestrictionHistory(
  reading: EvidenceQuery,
  page: EvidencePage,
): Promise<OrderedRows<RestrictionEvent>> {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return readSectionRows<RestrictionEvent>(
    reading,
    {
      parts: [],
      rows: `select r.record_id as "eventId", r.restriction_id as "restrictionId", ${epochMilliseconds('r.happened_at')} as "occurredMs", r.id as row_id, 'restriction/' || r.restriction_id as definition_id
               from models.agent_evidence r
              where r.tenant_id = ${tenant} and r.kind = 'restrictionEvent' and r.happened_at between ${from} and ${to}
                and r.updated_at <= ${storedThrough} and ${isLiveEvidence}`,
      columns: [
        'e.facts',
        `d.facts->'dataType' as "restrictionType"`,
        `coalesce(e.facts#>>'{dataType,name}', d.facts#>>'{dataType,name}', t.facts->>'name') as "typeName"`,
      ],
      joins: [
        `cross join lateral (select r.facts from models.agent_evidence r where r.tenant_id = ${tenant} and r.id = p.row_id limit 1) e`,
        // Also of one that is gone: its events are kept.
        `left join lateral (select r.facts from models.agent_evidence r where r.tenant_id = ${tenant} and r.id = p.definition_id limit 1) d on true`,
        `left join models.entity_fact t on t.tenant_id = ${tenant} and t.kind = 'sensitiveInfoType' and t.id = coalesce(e.facts#>>'{dataType,id}', d.facts#>>'{dataType,id}')`,
      ],
      order: [
        { column: 'occurredMs', type: 'time' },
        { column: 'eventId', type: 'text' },
      ],
    },
    page,
  );
}

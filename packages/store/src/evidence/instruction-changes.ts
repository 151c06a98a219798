import { isLiveEvidence } from '../resource/agent-evidence.ts';
import { agentNames } from './known-agents.ts';
import { lifecycle } from './lifecycle-events.ts';
import type { EvidencePage, EvidenceReading, OrderedRows } from './ordered.ts';
import { bounds, msOf, readSectionRows, toldTime } from './section-rows.ts';

export interface InstructionChange {
  agentId: string;
  agentName: string | null;
  observedMs: number;
  currentHash: string | null;
  /** As the producer told it. */
  facts: Readonly<Record<string, unknown>>;
  publishEventId: string | null;
  publisherId: string | null;
  publisherName: string | null;
  reviewedBy: unknown;
  reviewedMs: number | null;
  reviewOutcome: string | null;
}

/** Changes of agents' instructions that imports of the window saw, the nearest publishing between the two imports, and who looked at it afterwards. */
export function readInstructionChanges(
  reading: EvidenceReading,
  page: EvidencePage,
): Promise<OrderedRows<InstructionChange>> {
  const { tenant, from, to, known } = bounds(reading);
  return readSectionRows<InstructionChange>(
    reading,
    {
      // The import that saw the old text may lie before the window, and so may what was published since.
      parts: [agentNames(reading), lifecycle({ ...reading, fromMs: reading.fromMs - longestGapMs })],
      rows: `select distinct on ("observedMs", "agentId", "currentHash") changes.* from (
        select ${msOf('r.happened_at')} as "observedMs", coalesce(a.id, r.agent_id) as "agentId", r.facts->>'currentHash' as "currentHash", a.name as "agentName",
               r.record_id, r.happened_at, r.id as row_id
          from models.agent_evidence r left join agent_name a on a.alias = lower(r.agent_id)
         where r.tenant_id = ${tenant} and r.kind = 'instructionChange' and r.happened_at between ${from} and ${to}
           and r.updated_at <= ${known} and ${isLiveEvidence}) changes
         order by "observedMs", "agentId", "currentHash", record_id`,
      columns: [
        'e.facts',
        'published.event_id as "publishEventId"',
        `coalesce(published.facts#>>'{actor,id}', published.facts->>'actorId') as "publisherId"`,
        `coalesce(published.facts#>>'{actor,name}', published.facts->>'actorName') as "publisherName"`,
        `reviewed.facts->'by' as "reviewedBy"`,
        `${msOf('reviewed.at')} as "reviewedMs"`,
        `reviewed.facts->>'outcome' as "reviewOutcome"`,
      ],
      joins: [
        `join models.agent_evidence e on e.tenant_id = ${tenant} and e.id = p.row_id`,
        `left join lateral (select l.event_id, l.facts from lifecycle l
           where l.event = 'publish' and l.agent_id = p."agentId" and l.occurred_at > ${toldTime("e.facts->>'previousObservedAt'")} and l.occurred_at <= p.happened_at
           order by l.occurred_at desc, l.event_id limit 1) published on true`,
        // A decision about this change, else the first about the agent before its instructions changed again.
        `left join lateral (select c.facts, ${decidedAt} as at from models.compliance_record c
           where c.tenant_id = ${tenant} and c.kind = 'decision' and c.updated_at <= ${known} and ${decidedAt} between p.happened_at and ${to}
             and (c.subject_type, c.subject_id) in (('instructionChange', p.record_id), ('agent', p."agentId"), ('agent', e.agent_id))
             and (c.subject_type <> 'agent' or not exists (
               select from models.agent_evidence n where n.tenant_id = ${tenant} and n.kind = 'instructionChange' and n.agent_id = e.agent_id
                  and n.happened_at > p.happened_at and n.happened_at <= ${decidedAt}))
           order by c.subject_type = 'agent', ${decidedAt}, c.id limit 1) reviewed on true`,
      ],
      order: [
        { column: 'observedMs', type: 'time' },
        { column: 'agentId', type: 'text' },
        { column: 'currentHash', type: 'text' },
      ],
    },
    page,
  );
}

const decidedAt = toldTime("c.facts->>'at'");
/** Imports that lie further apart say little about who changed anything. */
const longestGapMs = 31 * 86_400_000;

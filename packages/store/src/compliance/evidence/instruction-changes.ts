import { dayMs } from '@tenantscope/contract';
import { isLiveEvidence } from '../../resource/agent-evidence.ts';
import { agentNames } from './agent-queries.ts';
import { lifecycle, recordedFacts } from './lifecycle-events.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, parseReportedTime, readSectionRows, wasFirstSeen } from './section-rows.ts';

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
  reading: EvidenceQuery,
  page: EvidencePage,
): Promise<OrderedRows<InstructionChange>> {
  const { tenant, from, to, storedThrough } = bounds(reading);
  // As ai.agents.instruction_changes_reviewed counts them. Each time at which a decision or a note was made counts, also where it was made again later.
  const reviews = `stated as materialized (
    select distinct on (h.id, ${statedAt}) h.id, h.kind, h.facts, ${statedAt} as at
      from models.statement_history h
     where h.tenant_id = ${tenant} and h.kind in ('decision', 'attestation') and h.facts#>>'{subject,type}' in ('agent', 'instructionChange')
       and h.recorded_at <= ${storedThrough} and ${statedAt} <= ${to}
     order by h.id, ${statedAt}, h.version desc, h.digest desc),
  review as materialized (
    select r.id, r.subject_type, models.lower_case(r.subject_id) as subject_id, coalesce(n.id, r.subject_id) as agent_id, r.reviewer, r.outcome, r.at
      from (select s.id, s.facts#>>'{subject,type}' as subject_type, s.facts#>>'{subject,id}' as subject_id, coalesce(s.facts->'by', s.facts->'attestedBy') as reviewer,
                   coalesce(s.facts->>'outcome', s.facts->>'verdict') as outcome, s.at
              from stated s
             where s.kind = 'decision' or s.facts#>>'{subject,type}' = 'agent' and coalesce((s.facts->>'withdrawnAt')::timestamptz > ${to}, true)
            union all
            select 'action/' || r.id, 'agent', r.resource_id, null, 'acknowledged', d.at
              from models.action r cross join lateral (select (r.document::json->>'acknowledgedAt')::timestamptz(3) as at) d
             where r.tenant_id = ${tenant} and r.resource_type = 'agent' and not r.is_simulated and r.created_at between ${from} - interval '1 year' and ${to}
               and ${wasFirstSeen(storedThrough)} and d.at <= ${to}) r
      left join agent_name n on r.subject_type = 'agent' and n.alias = models.lower_case(r.subject_id))`;
  return readSectionRows<InstructionChange>(
    reading,
    {
      // The import that saw the old text may lie before the window, and so may what was published since.
      parts: [agentNames(reading), reviews, lifecycle({ ...reading, fromMs: reading.fromMs - longestGapMs })],
      rows: `select distinct on ("observedMs", "agentId", "currentHash") changes.* from (
        select ${epochMilliseconds('r.happened_at')} as "observedMs", coalesce(a.id, r.agent_id) as "agentId", r.facts->>'currentHash' as "currentHash", a.name as "agentName",
               r.record_id, r.happened_at, r.id as row_id, lead(r.happened_at) over (partition by coalesce(a.id, r.agent_id) order by r.happened_at) as next_at
          from models.agent_evidence r left join agent_name a on a.alias = models.lower_case(r.agent_id)
         where r.tenant_id = ${tenant} and r.kind = 'instructionChange' and r.happened_at between ${from} and ${to}
           and r.updated_at <= ${storedThrough} and ${isLiveEvidence}) changes
         order by "observedMs", "agentId", "currentHash", record_id`,
      columns: [
        'e.facts',
        'published.event_id as "publishEventId"',
        `coalesce(recorded.facts#>>'{actor,id}', recorded.facts->>'actorId') as "publisherId"`,
        `coalesce(recorded.facts#>>'{actor,name}', recorded.facts->>'actorName') as "publisherName"`,
        'reviewed.reviewer as "reviewedBy"',
        `${epochMilliseconds('reviewed.at')} as "reviewedMs"`,
        'reviewed.outcome as "reviewOutcome"',
      ],
      joins: [
        `cross join lateral (select r.facts from models.agent_evidence r where r.tenant_id = ${tenant} and r.id = p.row_id limit 1) e`,
        `left join (select distinct on (q.place) q.place, l.event_id, l.log_id, l.facts
             from page q cross join lateral (select r.facts from models.agent_evidence r where r.tenant_id = ${tenant} and r.id = q.row_id limit 1) c
             join lifecycle l on l.event = 'publish' and l.agent_id = q."agentId" and l.occurred_at > ${parseReportedTime("c.facts->>'previousObservedAt'")} and l.occurred_at <= q.happened_at
            order by q.place, l.occurred_at desc, l.event_id) published on published.place = p.place`,
        recordedFacts(reading, 'published'),
        // A decision about this change, else the first review of the agent before its instructions changed again.
        `left join (select distinct on (q.place) q.place, d.reviewer, d.outcome, d.at
             from page q join review d on d.at >= q.happened_at and (d.subject_type = 'instructionChange' and d.subject_id = models.lower_case(q.record_id)
                  or d.subject_type = 'agent' and d.agent_id = q."agentId" and d.at < coalesce(q.next_at, 'infinity'))
            order by q.place, d.subject_type = 'agent', d.at, d.id) reviewed on reviewed.place = p.place`,
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

const statedAt = `coalesce(h.facts->>'at', h.facts->>'attestedAt')::timestamptz(3)`;
/** Imports that lie further apart say little about who changed anything. */
const longestGapMs = 31 * dayMs;

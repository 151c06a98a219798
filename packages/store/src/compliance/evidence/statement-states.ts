import { attestationBeginsAt } from '../attestation-begin.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';

/** A state of an attestation or of an exception. */
export interface StatementState {
  readonly recordId: string;
  readonly version: number;
  /** SHA-256 of the record, lower-case hexadecimal. */
  readonly sha256: string;
  readonly requirementKey: string | null;
  readonly recordedMs: number;
  /** The audit's actor. */
  readonly recordedBy: string;
  /** When the next state of this record was written, by the window's end; null if it was the latest one then. */
  readonly replacedMs: number | null;
  /** Whether a later state of this record counted instead at the window's end: not while that is dated ahead. */
  readonly isReplaced: boolean;
  /** Whether an attestation of the same requirement and subject was made later, by the window's end. */
  readonly isOutdated: boolean;
  /** As the producer told it. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** States that stood at some time in the window, as recorded by its end. */
export function readStatementStates(
  reading: EvidenceQuery,
  kind: 'attestation' | 'exception',
  page: EvidencePage,
): Promise<OrderedRows<StatementState>> {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return readSectionRows<StatementState>(
    reading,
    {
      parts: [
        `state as (
           select h.*, lead(h.recorded_at) over later as replaced_at,
                  min(greatest(h.recorded_at${kind === 'attestation' ? `, ${attestationBeginsAt('h')}` : ''})) over (later rows between 1 following and unbounded following) as ended_at,
                  (h.facts->>'attestedAt')::timestamptz as attested_at
             from models.statement_history h
            where h.tenant_id = ${tenant} and h.kind = '${kind}' and h.recorded_at <= least(${to}, ${storedThrough})
           window later as (partition by h.id order by h.version, h.digest))`,
        // Of the attestations of a requirement the one made last decides, also after it was withdrawn.
        `latest as (
           select distinct on (s.requirement_key, s.facts#>>'{subject,type}', s.facts#>>'{subject,id}') s.id
             from state s where coalesce(s.ended_at > ${to}, true) and s.attested_at <= ${to}
            order by s.requirement_key, s.facts#>>'{subject,type}', s.facts#>>'{subject,id}', s.attested_at desc, s.version desc, s.digest desc)`,
      ],
      rows: `select substr(s.id, strpos(s.id, '/') + 1) as "recordId", s.version::float8 as version, encode(s.digest, 'hex') as sha256,
                    s.requirement_key as "requirementKey", ${epochMilliseconds('s.recorded_at')} as "recordedMs", s.recorded_by as "recordedBy",
                    ${epochMilliseconds('s.replaced_at')} as "replacedMs", coalesce(s.ended_at <= ${to}, false) as "isReplaced",
                    s.attested_at <= ${to} and s.id not in (select l.id from latest l) as "isOutdated", s.facts
               from state s where coalesce(s.ended_at > ${from}, true)`,
      order: [
        { column: 'requirementKey', type: 'text' },
        { column: 'recordedMs', type: 'time' },
        { column: 'recordId', type: 'text' },
        { column: 'version', type: 'number' },
        { column: 'sha256', type: 'text' },
      ],
    },
    page,
  );
}

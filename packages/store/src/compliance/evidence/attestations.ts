import { attestationBeginsAt } from '../attestation-begin.ts';
import type { EvidenceQuery } from './ordered.ts';
import { bounds } from './section-rows.ts';

/** Days that an attestation of a requirement is valid at most, by the requirement's key. */
export type ValidityDays = Readonly<Record<string, number>>;

/**
 * Attestations in force at the window's end, as `attested`: of each requirement and subject the one made last, unless it was
 * withdrawn or is no longer valid by then. None is valid longer than its requirement allows. Of a record the newest state that had
 * begun by then counts: a later one may be dated ahead. Requires `agent_name`.
 */
export function attestationsInForce(reading: EvidenceQuery, validityDays: ValidityDays): string {
  const { tenant, to, storedThrough } = bounds(reading);
  const ceilings = Object.entries(validityDays).map(([key, days]) => `('${key}', ${days * 24} * interval '1 hour')`);
  return `attestation_state as materialized (
    select distinct on (h.id) h.version, h.digest, h.requirement_key, h.facts#>>'{subject,id}' as subject_id, h.facts#>>'{subject,type}' as subject_type,
           h.facts, h.recorded_at, (h.facts->>'attestedAt')::timestamptz as attested_at
      from models.statement_history h
     where h.tenant_id = ${tenant} and h.kind = 'attestation' and h.recorded_at <= ${storedThrough} and ${attestationBeginsAt('h')} <= ${to}
     order by h.id, h.version desc, h.digest desc),
  attested as materialized (
    select l.requirement_key, l.subject_id, l.agent_id, l.facts, l.recorded_at as updated_at
      from (select distinct on (r.requirement_key, r.subject_id is null, n.id) r.*, n.id as agent_id
              from attestation_state r left join agent_name n on r.subject_type = 'agent' and n.alias = models.lower_case(r.subject_id)
             where (r.subject_id is null or n.id is not null) and r.attested_at <= ${to}
             order by r.requirement_key, r.subject_id is null, n.id, r.attested_at desc, r.version desc, r.digest desc) l
      join (values ${ceilings}) ceiling (requirement_key, validity) on ceiling.requirement_key = l.requirement_key
     where least(l.attested_at + ceiling.validity, (l.facts->>'validUntil')::timestamptz) > ${to}
       and coalesce((l.facts->>'withdrawnAt')::timestamptz > ${to}, true))`;
}

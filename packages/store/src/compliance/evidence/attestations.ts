import type { EvidenceQuery } from './ordered.ts';
import { bounds } from './section-rows.ts';

/** Days that an attestation of a requirement is valid at most, by the requirement's key. */
export type ValidityDays = Readonly<Record<string, number>>;

/**
 * Attestations in force at the window's end, as `attested`: of each requirement and subject the one made last, unless it was
 * withdrawn or is no longer valid by then. None is valid longer than its requirement allows. Requires `agent_name`.
 */
export function attestationsInForce(reading: EvidenceQuery, validityDays: ValidityDays): string {
  const { tenant, to, storedThrough } = bounds(reading);
  const ceilings = Object.entries(validityDays).map(([key, days]) => `('${key}', ${days * 24} * interval '1 hour')`);
  return `attested as materialized (
    select l.requirement_key, l.subject_id, l.agent_id, l.facts, l.updated_at, l.attested_at, l.id
      from (select distinct on (r.requirement_key, r.subject_id is null, n.id)
                   r.id, r.requirement_key, r.subject_id, n.id as agent_id, r.facts, r.updated_at, (r.facts->>'attestedAt')::timestamptz as attested_at
              from models.compliance_record r left join agent_name n on r.subject_type = 'agent' and n.alias = models.lower_case(r.subject_id)
             where r.tenant_id = ${tenant} and r.kind = 'attestation' and r.updated_at <= ${storedThrough}
               and r.requirement_key in (${Object.keys(validityDays).map((key) => `'${key}'`)})
               and (r.subject_id is null or n.id is not null) and (r.facts->>'attestedAt')::timestamptz <= ${to}
             order by r.requirement_key, r.subject_id is null, n.id, (r.facts->>'attestedAt')::timestamptz desc, r.version desc, r.digest desc) l
      join (values ${ceilings}) ceiling (requirement_key, validity) on ceiling.requirement_key = l.requirement_key
     where least(l.attested_at + ceiling.validity, (l.facts->>'validUntil')::timestamptz) > ${to}
       and coalesce((l.facts->>'withdrawnAt')::timestamptz > ${to}, true))`;
}

import { type Requirement, requirementCatalogue } from '../catalogue/requirement.ts';
import { isAttestedCompliant } from './attestation.ts';
import type { Facts } from './facts.ts';

/** Whether facts about the tenant exempt it from a requirement, before any data is read. */
export function isOutOfScope({ notApplicable: exemption }: Requirement, facts: Facts): boolean {
  switch (exemption?.kind) {
    case 'unlicensed':
      return facts.sources[exemption.source]?.licensed === false;
    case 'tenantFact':
      if (facts.tenantFacts[exemption.key] !== exemption.value) return false;
      return exemption.attested === undefined || isAttested(exemption.attested, facts);
    default:
      return false;
  }
}

function isAttested(attestedKey: string, facts: Facts): boolean {
  const duty = requirementCatalogue.find(({ key }) => key === attestedKey);
  return duty?.kind === 'attested' && isAttestedCompliant(duty, facts);
}

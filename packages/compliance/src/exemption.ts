import { isAttestedCompliant } from './attestation.ts';
import { type Requirement, requirementCatalogue } from './catalogue/requirement.ts';
import type { Facts } from './facts.ts';

/** Whether what is known of the tenant, before any data is looked at, takes a requirement off it. */
export function isOutOfScope({ notApplicable: exempt }: Requirement, facts: Facts): boolean {
  switch (exempt?.kind) {
    case 'unlicensed':
      return facts.sources[exempt.source]?.licensed === false;
    case 'tenantFact':
      if (facts.tenantFacts[exempt.key] !== exempt.value) return false;
      return exempt.attested === undefined || isBacked(exempt.attested, facts);
    default:
      return false;
  }
}

function isBacked(attestedKey: string, facts: Facts): boolean {
  const duty = requirementCatalogue.find(({ key }) => key === attestedKey);
  return duty?.kind === 'attested' && isAttestedCompliant(duty, facts);
}

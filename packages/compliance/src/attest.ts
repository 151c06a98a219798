import { daysLeft, endsSoon, expiryOf, latestAttestation } from './attestation.ts';
import type { AttestedRequirement } from './catalogue/requirement.ts';
import { isOutOfScope } from './exemption.ts';
import type { Attestation, Facts } from './facts.ts';
import { attested, type Metrics, manual, notApplicable, type Outcome } from './outcome.ts';

/** The status of a duty that only a person can vouch for. */
export function attest(requirement: AttestedRequirement, facts: Facts): Outcome & { readonly metrics: Metrics } {
  const latest = latestAttestation(requirement.key, facts);
  const expiryMs = latest && expiryOf(latest, requirement.attestation.defaultValidityDays);
  const metrics = { attestationValidDays: expiryMs === null ? null : daysLeft(expiryMs, facts.nowMs) };
  if (isOutOfScope(requirement, facts)) return { ...notApplicable('not_in_scope'), metrics };
  if (!latest || expiryMs === null) return { ...manual('attestation_missing'), metrics };
  if (expiryMs <= facts.nowMs) return { ...manual('attestation_expired'), metrics };
  return { ...byVerdict(latest, endsSoon(expiryMs, facts.nowMs)), metrics };
}

function byVerdict({ verdict, justification }: Attestation, ending: boolean): Outcome {
  switch (verdict) {
    case 'not_applicable':
      // Without a written reason it is no statement.
      return justification?.trim() ? notApplicable('not_in_scope') : manual('attestation_missing');
    case 'compliant':
      return attested(ending ? 'at_risk' : 'met');
    case 'partial':
      return attested('at_risk');
    case 'non_compliant':
      return attested('not_met');
  }
}

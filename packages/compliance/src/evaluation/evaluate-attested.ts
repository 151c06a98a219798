import type { AttestedRequirement } from '../catalogue/requirement.ts';
import { computeEnd, countDaysLeft, endsSoon, findLatestAttestation, isWithdrawn } from './attestation.ts';
import type { Attestation, Facts } from './facts.ts';
import { type Metrics, type Outcome, toAttested, toManual, toNotApplicable } from './outcome.ts';
import { isOutOfScope } from './scope.ts';

/** The status of a requirement that only an attestation can fulfil. */
export function evaluateAttested(
  requirement: AttestedRequirement,
  facts: Facts,
): Outcome & { readonly metrics: Metrics } {
  const latest = findLatestAttestation(requirement.key, facts);
  const endMs = latest && computeEnd(latest, requirement.attestation.defaultValidityDays);
  const metrics = { attestationValidDays: endMs === null ? null : countDaysLeft(endMs, facts.nowMs) };
  if (isOutOfScope(requirement, facts)) return { ...toNotApplicable('not_in_scope'), metrics };
  if (!latest || endMs === null) return { ...toManual('attestation_missing'), metrics };
  if (isWithdrawn(latest, facts.nowMs)) return { ...toManual('attestation_withdrawn'), metrics };
  if (endMs <= facts.nowMs) return { ...toManual('attestation_expired'), metrics };
  return { ...applyVerdict(latest, endsSoon(endMs, facts.nowMs)), metrics };
}

function applyVerdict({ verdict, justification }: Attestation, ending: boolean): Outcome {
  switch (verdict) {
    case 'not_applicable':
      // Without a written reason the attestation does not count.
      return justification?.trim() ? toNotApplicable('not_in_scope') : toManual('attestation_missing');
    case 'compliant':
      return toAttested(ending ? 'at_risk' : 'met');
    case 'partial':
      return toAttested('at_risk');
    case 'non_compliant':
      return toAttested('not_met');
  }
}

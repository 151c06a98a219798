import type { AttestedRequirement } from './catalogue/requirement.ts';
import type { Attestation, Facts } from './facts.ts';
import { isNewer } from './version.ts';

const dayMs = 86_400_000;

/** A compliant verdict counts as at risk when it ends within so many days. */
const renewalDays = 30;

/** The newest statement about a whole requirement. Statements about single things are evidence, not a verdict. */
export function latestAttestation(key: string, { attestations }: Facts): Attestation | null {
  return attestations
    .filter(({ requirementKey, subject }) => requirementKey === key && subject === null)
    .reduce<Attestation | null>((latest, one) => (latest && !isNewer(one, latest) ? latest : one), null);
}

/** First instant at which it no longer holds. */
export function expiryOf(attestation: Attestation, defaultValidityDays: number): number {
  return attestation.validUntilMs ?? attestation.attestedAtMs + defaultValidityDays * dayMs;
}

/** Whether a duty is attested as done, at this moment. */
export function isAttestedCompliant(requirement: AttestedRequirement, facts: Facts): boolean {
  const latest = latestAttestation(requirement.key, facts);
  if (latest?.verdict !== 'compliant') return false;
  return expiryOf(latest, requirement.attestation.defaultValidityDays) > facts.nowMs;
}

export function endsSoon(expiryMs: number, nowMs: number): boolean {
  return expiryMs <= nowMs + renewalDays * dayMs;
}

/** Whole days left, 0 when it has ended. */
export function daysLeft(expiryMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((expiryMs - nowMs) / dayMs));
}

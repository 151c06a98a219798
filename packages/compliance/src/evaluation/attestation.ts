import type { AttestedRequirement } from '../catalogue/requirement.ts';
import type { Attestation, Facts } from './facts.ts';
import { isNewer } from './version.ts';

const dayMs = 86_400_000;

/** A compliant verdict that expires within this many days counts as at risk. */
const renewalDays = 30;

/** The newest attestation of a whole requirement. Attestations about single subjects are evidence, not a verdict. */
export function findLatestAttestation(key: string, { attestations }: Facts): Attestation | null {
  return attestations
    .filter(({ requirementKey, subject }) => requirementKey === key && subject === null)
    .reduce<Attestation | null>((latest, one) => (latest && !isNewer(one, latest) ? latest : one), null);
}

/** The first instant at which it is no longer valid. */
export function computeExpiry(attestation: Attestation, defaultValidityDays: number): number {
  return attestation.validUntilMs ?? attestation.attestedAtMs + defaultValidityDays * dayMs;
}

/** Whether a requirement is currently attested as compliant. */
export function isAttestedCompliant(requirement: AttestedRequirement, facts: Facts): boolean {
  const latest = findLatestAttestation(requirement.key, facts);
  if (latest?.verdict !== 'compliant') return false;
  return computeExpiry(latest, requirement.attestation.defaultValidityDays) > facts.nowMs;
}

export function expiresSoon(expiryMs: number, nowMs: number): boolean {
  return expiryMs <= nowMs + renewalDays * dayMs;
}

/** Whole days until expiry, 0 after it. */
export function countDaysLeft(expiryMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((expiryMs - nowMs) / dayMs));
}

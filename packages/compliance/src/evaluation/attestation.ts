import { dayMs } from '@tenantscope/contract';
import type { AttestedRequirement } from '../catalogue/requirement.ts';
import type { Attestation, Facts } from './facts.ts';
import { isNewer } from './version.ts';

/** A compliant verdict that ends within this many days counts as at risk. */
export const renewalDays = 30;

/**
 * The attestation of a whole requirement that was made last, not the one whose record arrived last. One dated ahead does not
 * count yet. Attestations about single subjects are evidence, not a verdict.
 */
export function findLatestAttestation(key: string, { attestations, nowMs }: Facts): Attestation | null {
  return attestations
    .filter((one) => one.requirementKey === key && one.subject === null && one.attestedAtMs <= nowMs)
    .reduce<Attestation | null>((latest, one) => (latest && !isLater(one, latest) ? latest : one), null);
}

function isLater(one: Attestation, other: Attestation): boolean {
  if (one.attestedAtMs !== other.attestedAtMs) return one.attestedAtMs > other.attestedAtMs;
  return isNewer(one, other);
}

/** The first instant at which it is no longer valid: as attested, and never after the validity of the requirement. */
export function computeExpiry({ attestedAtMs, validUntilMs }: Attestation, validityDays: number): number {
  const latestMs = attestedAtMs + validityDays * dayMs;
  return validUntilMs === null ? latestMs : Math.min(validUntilMs, latestMs);
}

/** The first instant at which it has no effect: the end of its validity, or its withdrawal, which may be planned. */
export function computeEnd(attestation: Attestation, validityDays: number): number {
  return Math.min(computeExpiry(attestation, validityDays), attestation.withdrawal?.atMs ?? Number.POSITIVE_INFINITY);
}

/** Whether it was withdrawn by then. An older attestation does not return: a withdrawal never improves a status. */
export function isWithdrawn({ withdrawal }: Attestation, nowMs: number): boolean {
  return withdrawal !== null && withdrawal.atMs <= nowMs;
}

/** Whether a requirement is currently attested as compliant. */
export function isAttestedCompliant(requirement: AttestedRequirement, facts: Facts): boolean {
  const latest = findLatestAttestation(requirement.key, facts);
  return (
    latest?.verdict === 'compliant' && computeEnd(latest, requirement.attestation.defaultValidityDays) > facts.nowMs
  );
}

export function endsSoon(endMs: number, nowMs: number): boolean {
  return endMs <= nowMs + renewalDays * dayMs;
}

/** Whole days until the end, 0 after it. */
export function countDaysLeft(endMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((endMs - nowMs) / dayMs));
}

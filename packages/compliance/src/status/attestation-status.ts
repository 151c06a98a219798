import { type AttestationState, formatTime, type RequirementStatus } from '@tenantscope/contract';
import type { Requirement } from '../catalogue/requirement.ts';
import { computeExpiry } from '../evaluation/attestation.ts';
import type { Attestation, Facts } from '../evaluation/facts.ts';

/** States before the present one that the status shows of each requirement. */
const historyMax = 20;

const formatOptional = (ms: number | null | undefined): string | null => (ms == null ? null : formatTime(ms));

/** The attestation that stands, and the states before it. */
export function buildAttestation(
  requirement: Requirement,
  attestation: Attestation,
  facts: Facts,
): NonNullable<RequirementStatus['attestation']> {
  const { validUntilMs } = attestation;
  const ceilingDays = requirement.kind === 'attested' ? requirement.attestation.defaultValidityDays : null;
  const untilMs = ceilingDays === null ? validUntilMs : computeExpiry(attestation, ceilingDays);
  const isShortened = validUntilMs !== null && untilMs !== null && untilMs < validUntilMs;
  return {
    ...buildState(attestation),
    validUntil: formatOptional(untilMs),
    statedValidUntil: isShortened ? formatTime(validUntilMs) : null,
    history: listEarlierStates(attestation, facts).map((state) => ({
      ...buildState(state),
      validUntil: formatOptional(state.validUntilMs),
    })),
  };
}

function buildState(attestation: Attestation): Omit<AttestationState, 'validUntil'> {
  const { verdict, justification, attestedBy, attestedAtMs, evidenceRefs, withdrawal, recorded } = attestation;
  return {
    verdict,
    justification,
    attestedBy,
    attestedAt: formatTime(attestedAtMs),
    evidenceRefs: [...evidenceRefs],
    recordedBy: recorded?.by ?? null,
    recordedAt: formatOptional(recorded?.atMs),
    withdrawnAt: formatOptional(withdrawal?.atMs),
    withdrawnBy: withdrawal?.by ?? null,
    withdrawalReason: withdrawal?.reason ?? null,
  };
}

/** The other states of the whole requirement that were recorded by then, newest first. */
function listEarlierStates(present: Attestation, { attestationHistory = [], nowMs }: Facts): Attestation[] {
  return attestationHistory
    .filter((one) => one.requirementKey === present.requirementKey && one.subject === null)
    .filter((one) => one.version !== present.version || one.digest !== present.digest)
    .filter(({ recorded }) => recorded !== null && recorded.atMs <= nowMs)
    .toSorted((left, right) => (right.recorded?.atMs ?? 0) - (left.recorded?.atMs ?? 0) || right.version - left.version)
    .slice(0, historyMax);
}

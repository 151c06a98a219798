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
  const untilMs = findExpiry(requirement, attestation);
  const isShortened = validUntilMs !== null && untilMs !== null && untilMs < validUntilMs;
  return {
    ...buildState(requirement, attestation),
    statedValidUntil: isShortened ? formatTime(validUntilMs) : null,
    history: listEarlierStates(attestation, facts).map((state) => buildState(requirement, state)),
  };
}

/** When an attestation of a status ends: with its validity, or with a withdrawal before that. Null where it has no end. */
export const findAttestationEnd = ({
  validUntil,
  withdrawnAt,
}: Pick<AttestationState, 'validUntil' | 'withdrawnAt'>): string | null =>
  [validUntil, withdrawnAt].filter((end) => end !== null).toSorted()[0] ?? null;

/** Null for an attestation of a measured requirement that has no end. */
const findExpiry = (requirement: Requirement, attestation: Attestation): number | null =>
  requirement.kind === 'attested'
    ? computeExpiry(attestation, requirement.attestation.defaultValidityDays)
    : attestation.validUntilMs;

function buildState(requirement: Requirement, attestation: Attestation): AttestationState {
  const { verdict, justification, attestedBy, attestedAtMs, evidenceRefs, withdrawal, recorded } = attestation;
  return {
    verdict,
    justification,
    attestedBy,
    attestedAt: formatTime(attestedAtMs),
    validUntil: formatOptional(findExpiry(requirement, attestation)),
    evidenceRefs: [...evidenceRefs],
    recordedBy: recorded?.by ?? null,
    recordedAt: formatOptional(recorded?.atMs),
    withdrawnAt: formatOptional(withdrawal?.atMs),
    withdrawnBy: withdrawal?.by ?? null,
    withdrawalReason: withdrawal?.reason ?? null,
  };
}

/** The other states of the whole requirement that were recorded by then, newest first. One that is dated ahead is no earlier state. */
function listEarlierStates(present: Attestation, { attestationHistory = [], nowMs }: Facts): Attestation[] {
  return attestationHistory
    .filter((one) => one.requirementKey === present.requirementKey && one.subject === null)
    .filter((one) => one.version !== present.version || one.digest !== present.digest)
    .filter(({ recorded, attestedAtMs }) => recorded !== null && recorded.atMs <= nowMs && attestedAtMs <= nowMs)
    .toSorted((left, right) => (right.recorded?.atMs ?? 0) - (left.recorded?.atMs ?? 0) || right.version - left.version)
    .slice(0, historyMax);
}

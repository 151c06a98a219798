import { readFileSync } from 'node:fs';
import * as input from '../../compliance/input-records.ts';
import { type Chooser, dayMs, nowMs } from './part.ts';

interface AttestedRequirement {
  readonly key: string;
  readonly kind: string;
  readonly notApplicable?: unknown;
  readonly attestation: { readonly defaultValidityDays: number };
}
const catalogue: { requirements: readonly AttestedRequirement[] } = JSON.parse(
  readFileSync(new URL('../../../packages/compliance/data/requirements.json', import.meta.url), 'utf8'),
);
const attested = catalogue.requirements.filter((one) => one.kind === 'attested' && one.notApplicable === undefined);

interface Attestation {
  readonly verdict: string;
  readonly attestedMs: number;
  readonly validUntilMs: number | null;
  readonly withdrawnMs: number | null;
  readonly isOfSubject: boolean;
}

/** Attestations of a few requirements in any order: dated ahead, expired, valid for a century, withdrawn, or about one subject. */
export function createAttestations(choose: Chooser) {
  const chosen = choose.shuffle(attested).slice(0, 6);
  const statuses: Record<string, string> = {};
  const records: input.InputRecord[] = [];
  for (const { key, attestation } of chosen) {
    const ages = choose.shuffle([-1, 0.5, 5, 40, 170, 200, 340, 360, 500]).slice(0, choose.between(0, 3));
    const given = ages.map((days): Attestation => {
      const attestedMs = nowMs - days * dayMs;
      return {
        verdict: choose.pick(['compliant', 'compliant', 'compliant', 'partial', 'non_compliant', 'not_applicable']),
        attestedMs,
        validUntilMs: attestedMs + choose.pick([10, 180, 20_000]) * dayMs,
        withdrawnMs: choose.pick([null, null, null, Math.max(attestedMs, nowMs - dayMs), nowMs + dayMs]),
        isOfSubject: choose.between(0, 5) === 0,
      };
    });
    statuses[key] = evaluateAttestations(given, attestation.defaultValidityDays);
    records.push(...given.map((one, index) => toRecord(one, key, `${key}-${index}`)));
  }
  return { records: choose.shuffle(records), statuses };
}

const toRecord = (one: Attestation, requirementKey: string, id: string): input.InputRecord => ({
  topic: 'compliance',
  type: 'compliance.attestation',
  id,
  members: {
    requirementKey,
    verdict: one.verdict,
    attestedBy: 'chief',
    attestedAt: input.at(one.attestedMs),
    ...(one.validUntilMs === null ? {} : { validUntil: input.at(one.validUntilMs) }),
    ...(one.verdict === 'not_applicable' ? { justification: 'no such data' } : {}),
    ...(one.isOfSubject ? { subject: { type: 'agent', id: 'sales' } } : {}),
    ...(one.withdrawnMs === null ? {} : { withdrawnAt: input.at(one.withdrawnMs), withdrawnBy: 'chief' }),
  },
});

/** By the contract: the latest one that was made by now counts, and no longer than the catalogue allows. */
function evaluateAttestations(given: readonly Attestation[], validityDays: number): string {
  const latest = given
    .filter((one) => one.attestedMs <= nowMs && !one.isOfSubject)
    .toSorted((a, b) => b.attestedMs - a.attestedMs)[0];
  if (latest === undefined || (latest.withdrawnMs !== null && latest.withdrawnMs <= nowMs)) return 'none';
  const statedEndMs = Math.min(
    latest.validUntilMs ?? Number.POSITIVE_INFINITY,
    latest.withdrawnMs ?? Number.POSITIVE_INFINITY,
  );
  const endMs = Math.min(statedEndMs, latest.attestedMs + validityDays * dayMs);
  if (endMs <= nowMs) return 'none';
  if (latest.verdict === 'not_applicable') return 'not_applicable';
  if (latest.verdict === 'non_compliant') return 'not_met';
  return latest.verdict === 'compliant' && endMs > nowMs + 30 * dayMs ? 'met' : 'at_risk';
}

/** A status of the product in the same words. */
export const nameAttested = ({ status, evaluation }: { status: string; evaluation: string }): string =>
  evaluation === 'attested' ? status : evaluation === 'not_applicable' ? 'not_applicable' : 'none';

import { attest } from './attest.ts';
import { latestAttestation } from './attestation.ts';
import type { Requirement } from './catalogue/requirement.ts';
import type { Attestation, Facts } from './facts.ts';
import { measure } from './measure.ts';
import type { Metrics, Outcome } from './outcome.ts';
import { dataAsOf } from './source-age.ts';

export interface Evaluation extends Outcome {
  readonly metrics: Metrics;
  /** The oldest of the newest stamps of the sources it rests on. */
  readonly dataAsOfMs: number | null;
  /** Shown with measurements too, which it never overrides. */
  readonly attestation: Attestation | null;
}

/** Facts become the status of one requirement. Pure: the same facts in any order give the same answer. */
export function evaluate(requirement: Requirement, facts: Facts): Evaluation {
  const attestation = latestAttestation(requirement.key, facts);
  return requirement.kind === 'measured'
    ? { ...measure(requirement, facts), dataAsOfMs: dataAsOf(requirement, facts), attestation }
    : { ...attest(requirement, facts), dataAsOfMs: null, attestation };
}

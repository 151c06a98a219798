import type { Requirement } from '../catalogue/requirement.ts';
import { findLatestAttestation } from './attestation.ts';
import { evaluateAttested } from './evaluate-attested.ts';
import { evaluateMeasured } from './evaluate-measured.ts';
import type { ExceptionEffect } from './excepted.ts';
import type { Attestation, Facts } from './facts.ts';
import type { Metrics, Outcome } from './outcome.ts';
import { findOldestSource } from './source-age.ts';

export interface Evaluation extends Outcome {
  readonly metrics: Metrics;
  /** The oldest of the newest stamps of its sources. */
  readonly dataAsOfMs: number | null;
  /** Shown with measured requirements too; it never overrides the measurement. */
  readonly attestation: Attestation | null;
  /** What exceptions change about it; null where none is in force. */
  readonly exceptionEffect: ExceptionEffect | null;
}

/** Evaluates the status of one requirement from facts. Pure: the same facts in any order give the same result. */
export function evaluate(requirement: Requirement, facts: Facts): Evaluation {
  const attestation = findLatestAttestation(requirement.key, facts);
  return requirement.kind === 'measured'
    ? { ...evaluateMeasured(requirement, facts), dataAsOfMs: findOldestSource(requirement, facts), attestation }
    : { ...evaluateAttested(requirement, facts), dataAsOfMs: null, attestation, exceptionEffect: null };
}

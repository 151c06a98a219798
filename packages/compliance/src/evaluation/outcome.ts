export type Status = 'met' | 'at_risk' | 'not_met' | 'not_evaluated';
export type EvaluationKind = 'measured' | 'no_data' | 'attested' | 'manual' | 'not_applicable';

/** The status of a requirement and how it was evaluated. */
export interface Outcome {
  readonly status: Status;
  readonly evaluation: EvaluationKind;
  /** Machine-readable; null where an attestation's verdict is the reason. */
  readonly reason: string | null;
}

/** Values by the metric names of the catalogue; null where a value is unknown or was not read. */
export type Metrics = Readonly<Record<string, number | null>>;

export const toNotApplicable = (reason: string): Outcome => ({
  status: 'not_evaluated',
  evaluation: 'not_applicable',
  reason,
});
export const toNoData = (reason: string): Outcome => ({ status: 'not_evaluated', evaluation: 'no_data', reason });
export const toManual = (reason: string): Outcome => ({ status: 'not_evaluated', evaluation: 'manual', reason });
export const toMeasured = (status: Status, reason: string): Outcome => ({ status, evaluation: 'measured', reason });
export const toAttested = (status: Status): Outcome => ({ status, evaluation: 'attested', reason: null });

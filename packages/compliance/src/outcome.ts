export type Status = 'met' | 'at_risk' | 'not_met' | 'not_evaluated';
export type EvaluationKind = 'measured' | 'no_data' | 'attested' | 'manual' | 'not_applicable';

/** What a requirement is found to be, and by what. */
export interface Outcome {
  readonly status: Status;
  readonly evaluation: EvaluationKind;
  /** Machine-readable; null where a person's verdict says it all. */
  readonly reason: string | null;
}

/** Values by the metric names of the catalogue; null where one is not known or was not looked at. */
export type Metrics = Readonly<Record<string, number | null>>;

export const notApplicable = (reason: string): Outcome => ({
  status: 'not_evaluated',
  evaluation: 'not_applicable',
  reason,
});
export const noData = (reason: string): Outcome => ({ status: 'not_evaluated', evaluation: 'no_data', reason });
export const manual = (reason: string): Outcome => ({ status: 'not_evaluated', evaluation: 'manual', reason });
export const measured = (status: Status, reason: string): Outcome => ({ status, evaluation: 'measured', reason });
export const attested = (status: Status): Outcome => ({ status, evaluation: 'attested', reason: null });

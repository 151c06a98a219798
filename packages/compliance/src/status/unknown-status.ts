import type { ComplianceStatus, FrameworkStatus, RequirementStatus } from '@tenantscope/contract';
import { buildStatusDocument, type StatusInput } from './status-document.ts';

/** The status of a requirement or article at a time for which nothing is stored. */
export const unknownStatus = 'unknown';

const noArticles: FrameworkStatus['articleCounts'] = {
  met: 0,
  metWithExceptions: 0,
  indicatorsMet: 0,
  nothingToMeasure: 0,
  atRisk: 0,
  notMet: 0,
  notEvaluated: 0,
  notApplicable: 0,
};

const noCounts = { metCount: 0, metWithExceptionsCount: 0, atRiskCount: 0, notMetCount: 0 };

/** The status document of a time for which nothing is stored: the catalogue and the selection, without any status or number. */
export function buildUnknownStatus({ nowMs, selections }: Pick<StatusInput, 'nowMs' | 'selections'>): ComplianceStatus {
  const nothing = { metrics: {}, sources: {}, attestations: [], tenantFacts: {}, baseline: null };
  const status = buildStatusDocument({ ...nothing, nowMs, selections });
  const counts = { ...noCounts, notEvaluatedCount: 0, notApplicableCount: 0 };
  return {
    ...status,
    ...counts,
    requirements: status.requirements.map(forgetStatus),
    frameworks: status.frameworks.map((framework) => ({
      ...framework,
      ...counts,
      readinessPercent: null,
      coveragePercent: null,
      articleCounts: noArticles,
      controls: framework.controls.map((control) => ({
        ...control,
        status: unknownStatus,
        evaluation: 'no_data',
        coverage: null,
        metCount: 0,
        metWithExceptionsCount: 0,
      })),
    })),
  };
}

const forgetStatus = (requirement: RequirementStatus): RequirementStatus => ({
  ...requirement,
  status: unknownStatus,
  evaluation: 'no_data',
  reason: 'no_snapshot',
  dataAsOf: null,
  metricsJson: Object.fromEntries(Object.keys(requirement.metricsJson).map((name) => [name, null])),
  attestation: null,
  exceptions: null,
});

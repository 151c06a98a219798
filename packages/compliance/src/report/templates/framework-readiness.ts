import type { ComplianceStatus, FrameworkStatus, ReportContent, RequirementStatus } from '@tenantscope/contract';
import { type ReadinessPoint, readReadinessTrend } from '@tenantscope/store/compliance';
import { series, table } from '../content.ts';
import { readStatusAtEnd } from '../end-status.ts';
import { listMissingSources } from '../limitations.ts';
import { selectFrameworks } from '../report-frameworks.ts';
import type { RenderContext, ReportWriter } from '../report-writer.ts';
import {
  compareUrgency,
  explainReason,
  formatCitations,
  formatMeasuredValue,
  formatTarget,
  listRequirements,
  toDisplayStatus,
  translateTitle,
} from '../requirement-cells.ts';
import { buildAttestationTable } from '../tables/attestation-table.ts';
import { translateValue } from '../value-labels.ts';

export interface FrameworkFacts {
  readonly status: ComplianceStatus;
  readonly framework: string;
  readonly trend: readonly ReadinessPoint[];
}

const snapshotsMax = 12;

export const frameworkReadiness: ReportWriter<FrameworkFacts> = {
  id: 'framework-readiness',
  statusSections: ['articles', 'gaps', 'not_evaluated', 'attestations'],
  async read(reading) {
    if (reading.framework === null) throw new TypeError('the report requires a framework');
    const trend = await readReadinessTrend(reading, reading.framework, snapshotsMax);
    return { status: await readStatusAtEnd(reading), framework: reading.framework, trend };
  },
  write({ status, framework, trend }, context) {
    const { translate } = context;
    const frameworks = selectFrameworks(status, [framework]);
    const requirements = listRequirements(status, frameworks);
    const applicable = requirements
      .filter(({ evaluation }) => evaluation !== 'not_applicable')
      .toSorted(compareUrgency);
    const gaps = applicable.filter((one) => one.status === 'not_met' || one.status === 'at_risk');
    const notEvaluated = applicable.filter((one) => one.status === 'not_evaluated');
    return {
      sections: {
        articles: buildArticleTable(frameworks, context),
        gaps: buildGapTable(gaps, framework, context),
        not_evaluated: buildNotEvaluatedTable(notEvaluated, framework, context),
        attestations: buildAttestationTable(translate, requirements),
        trend: series(trend.map(({ takenAtMs, percent }) => ({ t: new Date(takenAtMs).toISOString(), v: percent }))),
      },
      limitations: [
        [
          'The catalogue covers the articles listed here, not everything that the framework requires.',
          'Katalog obejmuje wymienione tu artykuły, a nie wszystkie wymagania regulacji lub standardu.',
        ],
        [
          'The trend shows readiness in percent as of each snapshot.',
          'Trend pokazuje gotowość w procentach według kolejnych migawek.',
        ],
        ...listMissingSources(requirements),
      ],
    };
  },
};

function buildArticleTable(frameworks: readonly FrameworkStatus[], { translate }: RenderContext): ReportContent {
  return table(
    translate,
    [
      ['ref', ['Article', 'Artykuł'], 'text'],
      ['title', ['Subject', 'Czego dotyczy'], 'text'],
      ['status', ['Status', 'Status'], 'status'],
      ['basis', ['Basis', 'Podstawa'], 'text'],
      ['met', ['Met', 'Spełnione'], 'count'],
      ['of', ['Of', 'Z'], 'count'],
      ['from', ['Applies from', 'Stosuje się od'], 'date'],
    ],
    {
      rows: frameworks.flatMap(({ controls }) =>
        controls.map((control) => [
          control.ref,
          translate([control.title, control.titlePl]),
          toDisplayStatus(control),
          translateValue(translate, 'evaluation', control.evaluation),
          control.metCount,
          control.totalCount,
          control.appliesFrom,
        ]),
      ),
    },
  );
}

function buildGapTable(
  requirements: readonly RequirementStatus[],
  framework: string,
  { translate, lang }: RenderContext,
): ReportContent {
  return table(
    translate,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['status', ['Status', 'Status'], 'status'],
      ['value', ['Measured', 'Zmierzono'], 'text'],
      ['target', ['Target', 'Cel'], 'text'],
      ['why', ['Why', 'Dlaczego'], 'text'],
      ['articles', ['Articles', 'Artykuły'], 'text'],
    ],
    {
      rows: requirements.map((one) => [
        translateTitle(translate, one),
        one.status,
        formatMeasuredValue(one, lang),
        formatTarget(one, lang),
        explainReason(one, translate),
        formatCitations(one, framework),
      ]),
    },
  );
}

function buildNotEvaluatedTable(
  requirements: readonly RequirementStatus[],
  framework: string,
  { translate }: RenderContext,
): ReportContent {
  return table(
    translate,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['why', ['Why', 'Dlaczego'], 'text'],
      ['asOf', ['Data until', 'Dane do'], 'instant'],
      ['articles', ['Articles', 'Artykuły'], 'text'],
    ],
    {
      rows: requirements.map((one) => [
        translateTitle(translate, one),
        explainReason(one, translate),
        one.dataAsOf,
        formatCitations(one, framework),
      ]),
    },
  );
}

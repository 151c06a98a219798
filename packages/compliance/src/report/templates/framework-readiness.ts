import type { ComplianceStatus, FrameworkStatus, ReportContent, RequirementStatus } from '@tenantscope/contract';
import { formatCell } from '@tenantscope/report';
import { type ReadinessPoint, readReadinessTrend } from '@tenantscope/store/compliance';
import { isMetWithExceptions, isMetWithoutPopulation } from '../../catalogue/article-weight.ts';
import { countApplicable } from '../../status/framework-status.ts';
import { unknownStatus } from '../../status/unknown-status.ts';
import { formatReference } from '../article-reference.ts';
import { kpis, series, table } from '../content.ts';
import { readStatusAtEnd } from '../end-status.ts';
import { type FrameworkTerms, getFrameworkTerms } from '../framework-terms.ts';
import type { LocalizedText } from '../language.ts';
import { listNoDataLimitations, listPercentLimitations } from '../limitations.ts';
import { selectFrameworks } from '../report-frameworks.ts';
import { readParts } from '../report-reading.ts';
import type { RenderContext, ReportWriter } from '../report-writer.ts';
import { compareUrgency, listRequirements, toArticleStatus } from '../requirement-cells.ts';
import { buildAttestationTable } from '../tables/attestation-table.ts';
import { buildCoverageTable, indicatorLimitation } from '../tables/coverage-table.ts';
import { buildDefinitionTable } from '../tables/definition-table.ts';
import { buildExceptionTable, listExceptionLimitations } from '../tables/exception-table.ts';
import { buildGapTable, buildNotEvaluatedTable } from '../tables/gap-tables.ts';
import { translateValue } from '../value-labels.ts';

export interface FrameworkFacts {
  readonly status: ComplianceStatus;
  readonly framework: string;
  readonly trend: readonly ReadinessPoint[];
}

const snapshotsMax = 12;

export const frameworkReadiness: ReportWriter<FrameworkFacts> = {
  id: 'framework-readiness',
  statusSections: ['headline', 'articles', 'gaps', 'not_evaluated', 'attestations', 'exceptions'],
  async read(reading) {
    const { framework } = reading;
    if (framework === null) throw new TypeError('the report requires a framework');
    const parts = await readParts(reading, {
      status: readStatusAtEnd,
      trend: (one) => readReadinessTrend(one, framework, snapshotsMax),
    });
    return { ...parts, framework };
  },
  write({ status, framework, trend }, context) {
    const frameworks = selectFrameworks(status, [framework]);
    const [one] = frameworks;
    if (one === undefined) throw new TypeError(`the status has no framework ${framework}`);
    const terms = getFrameworkTerms(framework);
    const requirements = listRequirements(status, frameworks);
    const applicable = requirements
      .filter(({ evaluation }) => evaluation !== 'not_applicable')
      .toSorted(compareUrgency);
    const gaps = applicable.filter((one) => one.status === 'not_met' || one.status === 'at_risk');
    const notEvaluated = applicable.filter((one) => one.status === 'not_evaluated');
    // A backfilled snapshot has the figures of a later time: it is no point of the trend.
    const inWeek = trend.filter(({ late }) => !late);
    return {
      title: buildTitle(one),
      sections: {
        headline: buildHeadline(one, requirements, terms, context),
        articles: buildArticleTable(frameworks, terms.control, context),
        coverage: buildCoverageTable(context, frameworks, terms.control),
        gaps: buildGapTable(gaps, framework, context),
        not_evaluated: buildNotEvaluatedTable(notEvaluated, framework, context),
        attestations: buildAttestationTable(context, requirements),
        exceptions: buildExceptionTable(context, requirements),
        definitions: buildDefinitionTable(context, applicable),
        trend: series(inWeek.map(({ takenAtMs, percent }) => ({ t: new Date(takenAtMs).toISOString(), v: percent }))),
      },
      limitations: [
        terms.limitation,
        indicatorLimitation,
        ...listExceptionLimitations(requirements),
        [
          'The trend shows readiness in percent as of each snapshot.',
          'Trend pokazuje gotowość w procentach według kolejnych migawek.',
        ],
        ...listLateSnapshots(trend.length - inWeek.length),
        ...listVersionChanges(inWeek),
        ...listPercentLimitations(gaps),
        ...listNoDataLimitations(requirements),
      ],
    };
  },
};

function listLateSnapshots(count: number): LocalizedText[] {
  if (count === 0) return [];
  return [
    [
      `Snapshots left out of the trend: ${count}. They were backfilled after their week and show a later time.`,
      `Migawki pominięte w trendzie: ${count}. Wykonano je po zakończeniu tygodnia, którego dotyczą, i pokazują stan późniejszy.`,
    ],
  ];
}

function listVersionChanges(trend: readonly ReadinessPoint[]): LocalizedText[] {
  if (new Set(trend.map(({ versions }) => versions)).size < 2) return [];
  return [
    [
      'The catalogue or the evaluation rules changed between snapshots of the trend: readiness before and after such a change is not comparable.',
      'Między migawkami, z których składa się trend, zmienił się katalog lub reguły oceny: gotowości sprzed takiej zmiany i po niej nie można porównywać.',
    ],
  ];
}

/** Framework, percent, counts and coverage: a title that is quoted alone does not mislead. */
function buildTitle(framework: FrameworkStatus): LocalizedText {
  const { name, namePl, readinessPercent, coveragePercent, metCount } = framework;
  const applicable = countApplicable(framework);
  if (framework.controls.every(({ status }) => status === unknownStatus))
    return [`${name}: readiness at the end of the period unknown`, `${namePl}: gotowość na koniec okresu nieznana`];
  if (applicable === 0) return [`${name}: no requirement applies`, `${namePl}: żadne wymaganie nie ma zastosowania`];
  const [readiness, readinessPl] = formatPercent(readinessPercent);
  const [coverage, coveragePl] = formatPercent(coveragePercent);
  return [
    `${name}: readiness ${readiness}, ${metCount} of ${applicable} requirements met, evidence for ${coverage}`,
    `${namePl}: gotowość ${readinessPl}, spełnione wymagania: ${metCount} z\u00a0${applicable}, poparte dowodami: ${coveragePl}`,
  ];
}

const formatPercent = (percent: number | null): LocalizedText => [
  formatCell(percent, 'percent', 'en'),
  formatCell(percent, 'percent', 'pl'),
];

function buildHeadline(
  framework: FrameworkStatus,
  requirements: readonly RequirementStatus[],
  { noun }: FrameworkTerms,
  { translate }: RenderContext,
): ReportContent {
  const { name, namePl, readinessPercent, coveragePercent, articleCounts } = framework;
  const { notApplicable, ...applicable } = articleCounts;
  const articles = Object.values(applicable).reduce((sum, count) => sum + count, notApplicable);
  return kpis(translate, [
    [noun, translate([name, namePl]), null],
    [['Readiness: requirements met', 'Gotowość: spełnione wymagania'], readinessPercent, 'percent'],
    [['Coverage: requirements with evidence', 'Pokrycie: wymagania poparte dowodami'], coveragePercent, 'percent'],
    [['Requirements that apply', 'Wymagania, które mają zastosowanie'], countApplicable(framework), 'count'],
    [['Requirements met', 'Wymagania spełnione'], framework.metCount, 'count'],
    [
      ['Requirements met only with exceptions', 'Wymagania spełnione tylko dzięki odstępstwom'],
      requirements.filter(isMetWithExceptions).length,
      'count',
    ],
    [
      ['Requirements met, nothing to measure', 'Wymagania spełnione bez zdarzeń do oceny'],
      requirements.filter(isMetWithoutPopulation).length,
      'count',
    ],
    [['Requirements at risk', 'Wymagania zagrożone'], framework.atRiskCount, 'count'],
    [['Requirements not met', 'Wymagania niespełnione'], framework.notMetCount, 'count'],
    [['Requirements not evaluated', 'Wymagania nieocenione'], framework.notEvaluatedCount, 'count'],
    [['Articles or controls in the catalogue', 'Przepisy lub zabezpieczenia w katalogu'], articles, 'count'],
    [['Articles or controls met', 'Przepisy lub zabezpieczenia spełnione'], articleCounts.met, 'count'],
    [
      [
        'Articles or controls met only with exceptions',
        'Przepisy lub zabezpieczenia spełnione tylko dzięki odstępstwom',
      ],
      articleCounts.metWithExceptions,
      'count',
    ],
    [
      ['Articles or controls with indicators in order', 'Przepisy lub zabezpieczenia ze wskaźnikami w normie'],
      articleCounts.indicatorsMet,
      'count',
    ],
    [
      ['Articles or controls with nothing to measure', 'Przepisy lub zabezpieczenia bez zdarzeń do oceny'],
      articleCounts.nothingToMeasure,
      'count',
    ],
  ]);
}

function buildArticleTable(
  frameworks: readonly FrameworkStatus[],
  heading: LocalizedText,
  { translate, lang }: RenderContext,
): ReportContent {
  return table(
    translate,
    [
      ['ref', heading, 'text'],
      ['title', ['Subject', 'Czego dotyczy'], 'text'],
      ['status', ['Status', 'Status'], 'status'],
      ['coverage', ['Rests on', 'Na czym się opiera'], 'text'],
      ['basis', ['Basis', 'Podstawa'], 'text'],
      ['met', ['Requirements met', 'Spełnione wymagania'], 'count'],
      ['of', ['Of', 'Z'], 'count'],
      ['from', ['Applies from', 'Stosuje się od'], 'date'],
    ],
    {
      rows: frameworks.flatMap(({ controls }) =>
        controls.map((control) => [
          formatReference(control.ref, lang),
          translate([control.title, control.titlePl]),
          toArticleStatus(control),
          translateValue(translate, 'coverage', control.coverage),
          translateValue(translate, 'evaluation', control.evaluation),
          control.metCount,
          control.totalCount,
          control.appliesFrom,
        ]),
      ),
    },
  );
}

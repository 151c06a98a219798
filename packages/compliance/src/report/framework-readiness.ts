import type { ComplianceStatus } from '@tenantscope/contract';
import { type ReadinessPoint, readReadinessTrend } from '@tenantscope/store';
import { attestationTable } from './attestations.ts';
import { series, table } from './content.ts';
import { framesOf } from './frames.ts';
import {
  byUrgency,
  citationsOf,
  measuredValue,
  reasonOf,
  requirementsIn,
  standing,
  targetOf,
  titleOf,
} from './judgement.ts';
import { silentSources } from './limitation.ts';
import { readStatusAtEnd } from './reading.ts';
import { spell } from './vocabulary.ts';
import type { ReportWriter } from './writer.ts';

export interface FrameworkFacts {
  readonly status: ComplianceStatus;
  readonly framework: string;
  readonly trend: readonly ReadinessPoint[];
}

const snapshotsMax = 12;

export const frameworkReadiness: ReportWriter<FrameworkFacts> = {
  id: 'framework-readiness',
  async read(reading) {
    if (reading.framework === null) throw new TypeError('the report is about a framework');
    const trend = await readReadinessTrend(reading, reading.framework, snapshotsMax);
    return { status: await readStatusAtEnd(reading), framework: reading.framework, trend };
  },
  write({ status, framework, trend }, { say, lang }) {
    const frameworks = framesOf(status, [framework]);
    const requirements = requirementsIn(status, frameworks);
    const applicable = requirements.filter(({ evaluation }) => evaluation !== 'not_applicable').toSorted(byUrgency);
    const gaps = applicable.filter((one) => one.status === 'not_met' || one.status === 'at_risk');
    return {
      sections: {
        articles: table(
          say,
          [
            ['ref', ['Article', 'Artykuł'], 'text'],
            ['title', ['What it asks for', 'Czego dotyczy'], 'text'],
            ['status', ['Status', 'Status'], 'status'],
            ['basis', ['Rests on', 'Podstawa'], 'text'],
            ['met', ['Met', 'Spełnione'], 'count'],
            ['of', ['Of', 'Z'], 'count'],
            ['from', ['Applies from', 'Stosuje się od'], 'date'],
          ],
          {
            rows: frameworks.flatMap(({ controls }) =>
              controls.map((control) => [
                control.ref,
                say([control.title, control.titlePl]),
                standing(control),
                spell(say, 'evaluation', control.evaluation),
                control.metCount,
                control.totalCount,
                control.appliesFrom,
              ]),
            ),
          },
        ),
        gaps: table(
          say,
          [
            ['requirement', ['Requirement', 'Wymaganie'], 'text'],
            ['status', ['Status', 'Status'], 'status'],
            ['value', ['Measured', 'Zmierzono'], 'text'],
            ['target', ['Target', 'Cel'], 'text'],
            ['why', ['Why', 'Dlaczego'], 'text'],
            ['articles', ['Articles', 'Artykuły'], 'text'],
          ],
          {
            rows: gaps.map((one) => [
              titleOf(say, one),
              one.status,
              measuredValue(one, lang),
              targetOf(one, lang),
              reasonOf(one, say),
              citationsOf(one, framework),
            ]),
          },
        ),
        not_evaluated: table(
          say,
          [
            ['requirement', ['Requirement', 'Wymaganie'], 'text'],
            ['why', ['Why', 'Dlaczego'], 'text'],
            ['asOf', ['Data until', 'Dane do'], 'instant'],
            ['articles', ['Articles', 'Artykuły'], 'text'],
          ],
          {
            rows: applicable
              .filter((one) => one.status === 'not_evaluated')
              .map((one) => [titleOf(say, one), reasonOf(one, say), one.dataAsOf, citationsOf(one, framework)]),
          },
        ),
        attestations: attestationTable(say, requirements),
        trend: series(trend.map(({ takenAtMs, percent }) => ({ t: new Date(takenAtMs).toISOString(), v: percent }))),
      },
      limitations: [
        [
          'The catalogue covers the articles listed here, not all that the framework asks for.',
          'Katalog obejmuje wymienione tu artykuły, nie wszystko, czego wymagają te ramy.',
        ],
        [
          'The trend shows readiness in percent, as it stood in each snapshot.',
          'Trend pokazuje gotowość w procentach według kolejnych migawek.',
        ],
        ...silentSources(requirements),
      ],
    };
  },
};

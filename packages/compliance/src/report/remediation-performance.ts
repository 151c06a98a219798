import type { ComplianceStatus, ReportContent } from '@tenantscope/contract';
import {
  type ListedAction,
  type RungFigures,
  readActionsThat,
  readRungFigures,
  readSettlingFigures,
  type SettlingFigures,
} from '@tenantscope/store';
import { type ColumnPlan, kpis, rowsMax, table } from './content.ts';
import { metricOf, statusOf } from './judgement.ts';
import { readStatusAtEnd } from './reading.ts';
import { spell } from './vocabulary.ts';
import type { Page, ReportWriter } from './writer.ts';

interface Listed {
  readonly rows: readonly ListedAction[];
  readonly total: number;
}

export interface RemediationFacts {
  readonly rungs: readonly RungFigures[];
  readonly settling: SettlingFigures;
  readonly failed: Listed;
  readonly overdue: Listed;
  readonly reverted: Listed;
  readonly status: ComplianceStatus;
}

const dayMs = 86_400_000;
const ladder = ['staged', 'approved', 'rejected', 'applied', 'confirmed', 'failed', 'reverted'];

export const remediationPerformance: ReportWriter<RemediationFacts> = {
  id: 'remediation-performance',
  async read(reading) {
    return {
      rungs: await readRungFigures(reading),
      settling: await readSettlingFigures(reading),
      failed: await readActionsThat(reading, 'failed', rowsMax),
      overdue: await readActionsThat(reading, 'overdue', rowsMax),
      reverted: await readActionsThat(reading, 'reverted', rowsMax),
      status: await readStatusAtEnd(reading),
    };
  },
  write(facts, page) {
    const { say } = page;
    const rungOf = (rung: string) => facts.rungs.find((one) => one.rung === rung);
    return {
      sections: {
        rungs: table(
          say,
          [
            ['rung', ['Stage reached', 'Osiągnięty etap'], 'text'],
            ['actions', ['Actions', 'Działania'], 'bar'],
            ['items', ['Items', 'Elementy'], 'count'],
            ['failed', ['Failed items', 'Nieudane elementy'], 'count'],
          ],
          {
            rows: ladder.map((rung) => [
              spell(say, 'rung', rung),
              rungOf(rung)?.actions ?? 0,
              rungOf(rung)?.items ?? 0,
              rungOf(rung)?.failedItems ?? 0,
            ]),
          },
        ),
        time: timeFigures(facts, page),
        failures: actionTable(page, facts.failed, [
          ['failed', ['Failed items', 'Nieudane elementy'], 'count'],
          (one) => one.failedItems,
        ]),
        overdue: actionTable(page, facts.overdue, [
          ['late', ['Overdue by', 'Po terminie o'], 'days'],
          (one) => (one.dueMs === null ? null : Math.floor((page.toMs - one.dueMs) / dayMs)),
        ]),
        reverts: actionTable(page, facts.reverted, [
          ['reverted', ['Reverted', 'Cofnięto'], 'instant'],
          (one) => (one.revertedMs === null ? null : new Date(one.revertedMs).toISOString()),
        ]),
      },
      limitations: [
        [
          'Simulated actions are left out. Failures and reverts are those of actions that were staged in the period; what is overdue counts whenever it was staged.',
          'Pominięto działania symulowane. Niepowodzenia i cofnięcia dotyczą działań przygotowanych w okresie; zaległości liczą się niezależnie od daty przygotowania.',
        ],
      ],
    };
  },
};

function timeFigures({ settling, status }: RemediationFacts, { say }: Page): ReportContent {
  const rounded = (value: number | null) => (value === null ? null : Math.round(10 * value) / 10);
  const judged = (key: string, metric: string) =>
    [metricOf(status, key, metric), 'percent', statusOf(status, key)] as const;
  return kpis(say, [
    [['Settled actions', 'Zakończone działania'], settling.settled, 'count'],
    [['Typical time (median)', 'Typowy czas (mediana)'], rounded(settling.medianHours), 'hours'],
    [
      ['Nine of ten settled within', 'Dziewięć z dziesięciu zakończono w ciągu'],
      rounded(settling.slowestTenthHours),
      'hours',
    ],
    [
      ['Settled on time, of those due', 'Zakończone w terminie, z wymagalnych'],
      settling.due === 0 ? null : Math.floor((1000 * settling.onTime) / settling.due) / 10,
      'percent',
      statusOf(status, 'ops.remediation.on_time'),
    ],
    [['Confirmed by a probe', 'Potwierdzone sondą'], ...judged('ops.remediation.verified', 'confirmedPct')],
    [
      ['Irreversible ones approved by a person', 'Nieodwracalne zatwierdzone przez człowieka'],
      ...judged('ops.remediation.human_approval', 'approvedPct'),
    ],
  ]);
}

type Extra = readonly [ColumnPlan, (action: ListedAction) => string | number | null];

function actionTable({ say }: Page, { rows, total }: Listed, [column, told]: Extra): ReportContent {
  return table(
    say,
    [
      ['action', ['Action', 'Działanie'], 'text'],
      ['on', ['On', 'Na czym'], 'text'],
      ['by', ['Asked for by', 'Kto zlecił'], 'text'],
      ['rung', ['Stage', 'Etap'], 'text'],
      ['staged', ['Staged', 'Przygotowano'], 'date'],
      column,
    ],
    {
      rows: rows.map((one) => [
        one.name ?? one.type,
        one.resourceName,
        one.actorName,
        spell(say, 'rung', one.rung),
        new Date(one.createdMs).toISOString(),
        told(one),
      ]),
      truncated: total > rows.length,
    },
  );
}

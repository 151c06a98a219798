import { type ComplianceStatus, dayMs, type ReportContent } from '@tenantscope/contract';
import {
  type ListedAction,
  type RungFigures,
  readActionsByCondition,
  readRungFigures,
  readSettlementFigures,
  type SettlementFigures,
} from '@tenantscope/store/compliance';
import { type ColumnPlan, kpis, rowsMax, table } from '../content.ts';
import { readStatusAtEnd } from '../end-status.ts';
import { readParts } from '../report-reading.ts';
import type { RenderContext, ReportWriter } from '../report-writer.ts';
import { readMetric, readRequirementStatus } from '../requirement-cells.ts';
import { translateValue } from '../value-labels.ts';

interface ListedActions {
  readonly rows: readonly ListedAction[];
  readonly total: number;
}

export interface RemediationFacts {
  readonly rungs: readonly RungFigures[];
  readonly settling: SettlementFigures;
  readonly failed: ListedActions;
  readonly overdue: ListedActions;
  readonly reverted: ListedActions;
  readonly status: ComplianceStatus;
}

const rungOrder = ['staged', 'approved', 'rejected', 'applied', 'confirmed', 'failed', 'reverted'];

export const remediationPerformance: ReportWriter<RemediationFacts> = {
  id: 'remediation-performance',
  read: (reading) =>
    readParts(reading, {
      status: readStatusAtEnd,
      rungs: readRungFigures,
      settling: readSettlementFigures,
      failed: (one) => readActionsByCondition(one, 'failed', rowsMax),
      overdue: (one) => readActionsByCondition(one, 'overdue', rowsMax),
      reverted: (one) => readActionsByCondition(one, 'reverted', rowsMax),
    }),
  write(facts, context) {
    const { translate } = context;
    const findRung = (rung: string) => facts.rungs.find((one) => one.rung === rung);
    return {
      sections: {
        rungs: table(
          translate,
          [
            ['rung', ['Stage reached', 'Osiągnięty etap'], 'text'],
            ['actions', ['Actions', 'Działania'], 'bar'],
            ['items', ['Items', 'Elementy'], 'count'],
            ['failed', ['Failed items', 'Nieudane elementy'], 'count'],
          ],
          {
            rows: rungOrder.map((rung) => [
              translateValue(translate, 'rung', rung),
              findRung(rung)?.actions ?? 0,
              findRung(rung)?.items ?? 0,
              findRung(rung)?.failedItems ?? 0,
            ]),
          },
        ),
        time: buildTimeKpis(facts, context),
        failures: buildActionTable(context, facts.failed, [
          ['failed', ['Failed items', 'Nieudane elementy'], 'count'],
          (one) => one.failedItems,
        ]),
        overdue: buildActionTable(context, facts.overdue, [
          ['late', ['Overdue by', 'Po terminie o'], 'days'],
          (one) => (one.dueMs === null ? null : Math.floor((context.toMs - one.dueMs) / dayMs)),
        ]),
        reverts: buildActionTable(context, facts.reverted, [
          ['reverted', ['Reverted', 'Cofnięto'], 'instant'],
          (one) => (one.revertedMs === null ? null : new Date(one.revertedMs).toISOString()),
        ]),
      },
      limitations: [
        [
          'Simulated actions are left out. Failures and reverts are those of actions staged in the period; overdue actions count whenever they were staged.',
          'Pominięto działania symulowane. Niepowodzenia i cofnięcia dotyczą działań przygotowanych w okresie; działania po terminie ujęto niezależnie od daty przygotowania.',
        ],
      ],
    };
  },
};

function buildTimeKpis({ settling, status }: RemediationFacts, { translate }: RenderContext): ReportContent {
  const roundHours = (value: number | null) => (value === null ? null : Math.round(10 * value) / 10);
  const buildJudgedKpi = (key: string, metric: string) =>
    [readMetric(status, key, metric), 'percent', readRequirementStatus(status, key)] as const;
  return kpis(translate, [
    [['Settled actions', 'Zakończone działania'], settling.settled, 'count'],
    [['Typical time (median)', 'Typowy czas (mediana)'], roundHours(settling.medianHours), 'hours'],
    [
      ['Nine of ten settled within', 'Dziewięć z dziesięciu zakończono w ciągu'],
      roundHours(settling.slowestTenthHours),
      'hours',
    ],
    [
      ['Settled on time, of those due', 'Zakończone w terminie, z wymagalnych'],
      settling.due === 0 ? null : Math.floor((1000 * settling.onTime) / settling.due) / 10,
      'percent',
      readRequirementStatus(status, 'ops.remediation.on_time'),
    ],
    [['Confirmed by a probe', 'Potwierdzone sondą'], ...buildJudgedKpi('ops.remediation.verified', 'confirmedPct')],
    [
      ['Irreversible ones approved by a person', 'Nieodwracalne zatwierdzone przez człowieka'],
      ...buildJudgedKpi('ops.remediation.human_approval', 'approvedPct'),
    ],
  ]);
}

type Extra = readonly [ColumnPlan, (action: ListedAction) => string | number | null];

function buildActionTable(
  { translate }: RenderContext,
  { rows, total }: ListedActions,
  [column, value]: Extra,
): ReportContent {
  return table(
    translate,
    [
      ['action', ['Action', 'Działanie'], 'text'],
      ['on', ['Resource', 'Obiekt'], 'text'],
      ['by', ['Requested by', 'Zlecający'], 'text'],
      ['rung', ['Stage', 'Etap'], 'text'],
      ['staged', ['Staged', 'Przygotowano'], 'date'],
      column,
    ],
    {
      rows: rows.map((one) => [
        one.name ?? one.type,
        one.resourceName,
        one.actorName,
        translateValue(translate, 'rung', one.rung),
        new Date(one.createdMs).toISOString(),
        value(one),
      ]),
      truncated: total > rows.length,
    },
  );
}

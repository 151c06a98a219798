import { type ComplianceStatus, dayMs, type ReportContent } from '@tenantscope/contract';
import {
  type AffectedEntity,
  type FindingFigures,
  type NotificationFigures,
  type OpenFinding,
  type RungFigures,
  readFindingFigures,
  readMostAffectedEntities,
  readNotificationFigures,
  readOpenFindings,
  readRungFigures,
  readSettlementFigures,
  readSourceStates,
  type SettlementFigures,
  type SourceStates,
} from '@tenantscope/store/compliance';
import { kpis, rowsMax, table } from '../content.ts';
import { readStatusAtEnd } from '../end-status.ts';
import { readParts } from '../report-reading.ts';
import type { RenderContext, ReportWriter } from '../report-writer.ts';
import { readMetric, readRequirementStatus } from '../requirement-cells.ts';
import { buildDataQualityTable, lagLimitation } from '../tables/data-quality-table.ts';
import { buildNotificationTable } from '../tables/notification-table.ts';
import { severitiesWorstFirst, translateValue } from '../value-labels.ts';

export interface SocFacts {
  readonly figures: readonly FindingFigures[];
  readonly named: readonly AffectedEntity[];
  readonly rungs: readonly RungFigures[];
  readonly settling: SettlementFigures;
  readonly notifications: readonly NotificationFigures[];
  readonly open: { readonly rows: readonly OpenFinding[]; readonly total: number };
  readonly sources: SourceStates;
  readonly status: ComplianceStatus;
}

const namedMax = 15;

export const socMonthly: ReportWriter<SocFacts> = {
  id: 'soc-monthly',
  presentSections: ['data_quality'],
  read: (reading) =>
    readParts(reading, {
      status: readStatusAtEnd,
      figures: readFindingFigures,
      named: (one) => readMostAffectedEntities(one, namedMax),
      rungs: readRungFigures,
      settling: readSettlementFigures,
      notifications: readNotificationFigures,
      open: (one) => readOpenFindings(one, { severities: null, limit: rowsMax }),
      sources: (one) => readSourceStates(one.client, { tenantId: one.tenantId, nowMs: one.toMs }),
    }),
  write(facts, context) {
    const { translate } = context;
    return {
      sections: {
        volumes: buildVolumeTable(facts.figures, context),
        response: buildResponseKpis(facts, context),
        top_entities: table(
          translate,
          [
            ['name', ['Name', 'Nazwa'], 'text'],
            ['type', ['Kind', 'Rodzaj'], 'text'],
            ['total', ['Findings', 'Ustalenia'], 'bar'],
            ['alerts', ['Alerts', 'Alerty'], 'count'],
            ['detections', ['Detections', 'Wykrycia'], 'count'],
          ],
          {
            rows: facts.named.map((one) => [
              one.name ?? one.id,
              translateValue(translate, 'entity', one.type),
              one.alerts + one.detections,
              one.alerts,
              one.detections,
            ]),
          },
        ),
        remediation: buildRemediationKpis(facts, context),
        notifications: buildNotificationTable(translate, facts.notifications),
        backlog: table(
          translate,
          [
            ['title', ['What', 'Co'], 'text'],
            ['kind', ['Kind', 'Rodzaj'], 'text'],
            ['severity', ['Severity', 'Ważność'], 'text'],
            ['status', ['State', 'Stan'], 'text'],
            ['about', ['About', 'Dotyczy'], 'text'],
            ['since', ['Since', 'Od'], 'date'],
            ['age', ['Open for', 'Otwarte od'], 'days'],
          ],
          {
            rows: facts.open.rows.map((one) => [
              one.title,
              translateValue(translate, 'finding', one.kind),
              translateValue(translate, 'severity', one.severity),
              translateValue(translate, 'findingStatus', one.status),
              one.entityName,
              new Date(one.createdMs).toISOString(),
              Math.floor((context.toMs - one.createdMs) / dayMs),
            ]),
            truncated: facts.open.total > facts.open.rows.length,
          },
        ),
        data_quality: buildDataQualityTable(context, facts.status, facts.sources),
      },
      limitations: [['Informational detections are left out.', 'Pominięto wykrycia informacyjne.'], lagLimitation],
    };
  },
};

/** Every severity, so that a severity without findings is shown as 0. */
function buildVolumeTable(figures: readonly FindingFigures[], { translate }: RenderContext): ReportContent {
  const sum = (kind: string, severity: string) =>
    figures
      .filter((one) => one.kind === kind && one.severity === severity)
      .reduce((total, { findings }) => total + findings, 0);
  const shown = severitiesWorstFirst.filter(
    (severity) => severity !== 'unknown' || figures.some((one) => one.severity === severity),
  );
  return table(
    translate,
    [
      ['severity', ['Severity', 'Ważność'], 'text'],
      ['alerts', ['Alerts of the vendor', 'Alerty dostawcy'], 'bar'],
      ['detections', ['Detections of the service', 'Wykrycia usługi'], 'bar'],
    ],
    {
      rows: shown.map((severity) => [
        translateValue(translate, 'severity', severity),
        sum('alert', severity),
        sum('detection', severity),
      ]),
    },
  );
}

function buildResponseKpis({ figures, status }: SocFacts, { translate }: RenderContext): ReportContent {
  const filterKind = (kind: string) => figures.filter((one) => one.kind === kind);
  return kpis(translate, [
    [
      ['Alerts: typical time to triage', 'Alerty: typowy czas do selekcji'],
      averageMedians(filterKind('alert'), 'seen', 'seenHours'),
      'hours',
    ],
    [
      ['Alerts: typical time to resolve', 'Alerty: typowy czas do rozwiązania'],
      averageMedians(filterKind('alert'), 'resolved', 'resolvedHours'),
      'hours',
    ],
    [
      ['Detections: typical time to resolve', 'Wykrycia: typowy czas do rozwiązania'],
      averageMedians(filterKind('detection'), 'resolved', 'resolvedHours'),
      'hours',
    ],
    [
      ['High-severity alerts triaged within 24 h', 'Ważne alerty po selekcji w ciągu 24 godz.'],
      readMetric(status, 'ops.alerts.triage_24h', 'triagedPct'),
      'percent',
      readRequirementStatus(status, 'ops.alerts.triage_24h'),
    ],
    [
      ['High-severity alerts resolved within 7 days', 'Ważne alerty rozwiązane w ciągu 7 dni'],
      readMetric(status, 'ops.alerts.resolution_7d', 'resolvedPct'),
      'percent',
      readRequirementStatus(status, 'ops.alerts.resolution_7d'),
    ],
    [
      ['High and critical findings notified within one hour', 'Ważne i krytyczne ustalenia zgłoszone w ciągu godziny'],
      readMetric(status, 'ops.notify.escalation_1h', 'notifiedPct'),
      'percent',
      readRequirementStatus(status, 'ops.notify.escalation_1h'),
    ],
  ]);
}

type Counted = 'seen' | 'resolved';

/** The mean of the severities' medians, weighted by their counts. One decimal. */
function averageMedians(figures: readonly FindingFigures[], count: Counted, hours: `${Counted}Hours`): number | null {
  const measured = figures.filter((one) => one[hours] !== null && one[count] > 0);
  const all = measured.reduce((sum, one) => sum + one[count], 0);
  if (all === 0) return null;
  return Math.round((10 * measured.reduce((sum, one) => sum + (one[hours] ?? 0) * one[count], 0)) / all) / 10;
}

function buildRemediationKpis({ rungs, settling, status }: SocFacts, { translate }: RenderContext): ReportContent {
  const count = (...names: string[]) =>
    rungs.filter(({ rung }) => names.includes(rung)).reduce((sum, { actions }) => sum + actions, 0);
  return kpis(translate, [
    [['Actions', 'Działania'], rungs.reduce((sum, { actions }) => sum + actions, 0), 'count'],
    [['Confirmed', 'Potwierdzone'], count('confirmed'), 'count'],
    [['Waiting for approval', 'Oczekujące na zatwierdzenie'], count('staged'), 'count'],
    [['Failed', 'Nieudane'], count('failed'), 'count'],
    [['Typical time to settle', 'Typowy czas do zakończenia'], roundHours(settling.medianHours), 'hours'],
    [
      ['Overdue at the end', 'Po terminie na koniec okresu'],
      readMetric(status, 'ops.remediation.overdue', 'overdue'),
      'count',
      readRequirementStatus(status, 'ops.remediation.overdue'),
    ],
  ]);
}

const roundHours = (value: number | null): number | null => (value === null ? null : Math.round(10 * value) / 10);

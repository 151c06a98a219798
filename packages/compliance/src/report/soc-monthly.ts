import type { ComplianceStatus, ReportContent } from '@tenantscope/contract';
import {
  type FindingFigures,
  type NamedEntity,
  type NotificationFigures,
  type OpenFinding,
  type RungFigures,
  readFindingFigures,
  readMostNamed,
  readNotificationFigures,
  readOpenFindings,
  readRungFigures,
  readSettlingFigures,
  readSourceStates,
  type SettlingFigures,
  type SourceStates,
} from '@tenantscope/store';
import { kpis, rowsMax, table } from './content.ts';
import { dataQualityTable, lagLimitation } from './data-quality.ts';
import { metricOf, statusOf } from './judgement.ts';
import { notificationTable } from './notification-table.ts';
import { readStatusAtEnd } from './reading.ts';
import { severitiesGravestFirst, spell } from './vocabulary.ts';
import type { Page, ReportWriter } from './writer.ts';

export interface SocFacts {
  readonly figures: readonly FindingFigures[];
  readonly named: readonly NamedEntity[];
  readonly rungs: readonly RungFigures[];
  readonly settling: SettlingFigures;
  readonly notifications: readonly NotificationFigures[];
  readonly open: { readonly rows: readonly OpenFinding[]; readonly total: number };
  readonly sources: SourceStates;
  readonly status: ComplianceStatus;
}

const namedMax = 15;
const dayMs = 86_400_000;

export const socMonthly: ReportWriter<SocFacts> = {
  id: 'soc-monthly',
  async read(reading) {
    return {
      figures: await readFindingFigures(reading),
      named: await readMostNamed(reading, namedMax),
      rungs: await readRungFigures(reading),
      settling: await readSettlingFigures(reading),
      notifications: await readNotificationFigures(reading),
      open: await readOpenFindings(reading, { severities: null, limit: rowsMax }),
      sources: await readSourceStates(reading.client, { tenantId: reading.tenantId, nowMs: reading.toMs }),
      status: await readStatusAtEnd(reading),
    };
  },
  write(facts, page) {
    const { say } = page;
    return {
      sections: {
        volumes: volumeTable(facts.figures, page),
        response: responseFigures(facts, page),
        top_entities: table(
          say,
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
              spell(say, 'entity', one.type),
              one.alerts + one.detections,
              one.alerts,
              one.detections,
            ]),
          },
        ),
        remediation: remediationFigures(facts, page),
        notifications: notificationTable(say, facts.notifications),
        backlog: table(
          say,
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
              spell(say, 'finding', one.kind),
              spell(say, 'severity', one.severity),
              spell(say, 'findingStatus', one.status),
              one.entityName,
              new Date(one.createdMs).toISOString(),
              Math.floor((page.toMs - one.createdMs) / dayMs),
            ]),
            truncated: facts.open.total > facts.open.rows.length,
          },
        ),
        data_quality: dataQualityTable(page, facts.status, facts.sources),
      },
      limitations: [
        ['Detections of the informational tier are left out.', 'Pominięto wykrycia poziomu informacyjnego.'],
        lagLimitation,
      ],
    };
  },
};

/** Every severity there is, so that none found is said as nought. */
function volumeTable(figures: readonly FindingFigures[], { say }: Page): ReportContent {
  const sum = (kind: string, severity: string) =>
    figures
      .filter((one) => one.kind === kind && one.severity === severity)
      .reduce((total, { findings }) => total + findings, 0);
  const shown = severitiesGravestFirst.filter(
    (severity) => severity !== 'unknown' || figures.some((one) => one.severity === severity),
  );
  return table(
    say,
    [
      ['severity', ['Severity', 'Ważność'], 'text'],
      ['alerts', ['Alerts of the vendor', 'Alerty dostawcy'], 'bar'],
      ['detections', ['Detections of the service', 'Wykrycia usługi'], 'bar'],
    ],
    {
      rows: shown.map((severity) => [
        spell(say, 'severity', severity),
        sum('alert', severity),
        sum('detection', severity),
      ]),
    },
  );
}

function responseFigures({ figures, status }: SocFacts, { say }: Page): ReportContent {
  const of = (kind: string) => figures.filter((one) => one.kind === kind);
  return kpis(say, [
    [
      ['Alerts: typical time to triage', 'Alerty: typowy czas do selekcji'],
      typical(of('alert'), 'seen', 'seenHours'),
      'hours',
    ],
    [
      ['Alerts: typical time to resolve', 'Alerty: typowy czas do rozwiązania'],
      typical(of('alert'), 'resolved', 'resolvedHours'),
      'hours',
    ],
    [
      ['Detections: typical time to resolve', 'Wykrycia: typowy czas do rozwiązania'],
      typical(of('detection'), 'resolved', 'resolvedHours'),
      'hours',
    ],
    [
      ['High-severity alerts triaged within 24 h', 'Ważne alerty po selekcji w ciągu 24 godz.'],
      metricOf(status, 'ops.alerts.triage_24h', 'triagedPct'),
      'percent',
      statusOf(status, 'ops.alerts.triage_24h'),
    ],
    [
      ['High-severity alerts resolved within 7 days', 'Ważne alerty rozwiązane w ciągu 7 dni'],
      metricOf(status, 'ops.alerts.resolution_7d', 'resolvedPct'),
      'percent',
      statusOf(status, 'ops.alerts.resolution_7d'),
    ],
    [
      ['High and critical findings told within the hour', 'Ważne i krytyczne ustalenia przekazane w ciągu godziny'],
      metricOf(status, 'ops.notify.escalation_1h', 'notifiedPct'),
      'percent',
      statusOf(status, 'ops.notify.escalation_1h'),
    ],
  ]);
}

type Counted = 'seen' | 'resolved';

/** The medians of severities, weighted by how many each has. One decimal. */
export function typical(figures: readonly FindingFigures[], count: Counted, hours: `${Counted}Hours`): number | null {
  const known = figures.filter((one) => one[hours] !== null && one[count] > 0);
  const all = known.reduce((sum, one) => sum + one[count], 0);
  if (all === 0) return null;
  return Math.round((10 * known.reduce((sum, one) => sum + (one[hours] ?? 0) * one[count], 0)) / all) / 10;
}

function remediationFigures({ rungs, settling, status }: SocFacts, { say }: Page): ReportContent {
  const count = (...names: string[]) =>
    rungs.filter(({ rung }) => names.includes(rung)).reduce((sum, { actions }) => sum + actions, 0);
  return kpis(say, [
    [['Actions', 'Działania'], rungs.reduce((sum, { actions }) => sum + actions, 0), 'count'],
    [['Confirmed', 'Potwierdzone'], count('confirmed'), 'count'],
    [['Waiting for approval', 'Oczekujące na zatwierdzenie'], count('staged'), 'count'],
    [['Failed', 'Nieudane'], count('failed'), 'count'],
    [['Typical time to settle', 'Typowy czas do zakończenia'], rounded(settling.medianHours), 'hours'],
    [
      ['Overdue at the end', 'Po terminie na koniec okresu'],
      metricOf(status, 'ops.remediation.overdue', 'overdue'),
      'count',
      statusOf(status, 'ops.remediation.overdue'),
    ],
  ]);
}

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(10 * value) / 10);

import type { ComplianceStatus } from '@tenantscope/contract';
import {
  type FindingDay,
  type FindingFigures,
  type NotificationFigures,
  readFindingDays,
  readFindingFigures,
  readNotificationFigures,
  readSourceStates,
  type SourceStates,
} from '@tenantscope/store/compliance';
import { series, table } from '../content.ts';
import { readStatusAtEnd } from '../end-status.ts';
import { readParts } from '../report-reading.ts';
import type { ReportWriter } from '../report-writer.ts';
import { buildDataQualityTable, lagLimitation } from '../tables/data-quality-table.ts';
import { buildNotificationTable } from '../tables/notification-table.ts';
import { severitiesWorstFirst, translateValue } from '../value-labels.ts';

export interface ResponseFacts {
  readonly days: readonly FindingDay[];
  readonly figures: readonly FindingFigures[];
  readonly notifications: readonly NotificationFigures[];
  readonly sources: SourceStates;
  readonly status: ComplianceStatus;
}

const rankSeverity = ({ severity }: FindingFigures): number =>
  (severitiesWorstFirst as readonly string[]).indexOf(severity);

export const detectionAndResponse: ReportWriter<ResponseFacts> = {
  id: 'detection-and-response',
  presentSections: ['data_quality'],
  read: (reading) =>
    readParts(reading, {
      status: readStatusAtEnd,
      days: readFindingDays,
      figures: readFindingFigures,
      notifications: readNotificationFigures,
      sources: (one) => readSourceStates(one.client, { tenantId: one.tenantId, nowMs: one.toMs }),
    }),
  write({ days, figures, notifications, sources, status }, context) {
    const { translate } = context;
    const roundHours = (value: number | null) => (value === null ? null : Math.round(10 * value) / 10);
    return {
      sections: {
        volumes: series(
          days.map(({ dayMs, alerts, detections }) => ({ t: new Date(dayMs).toISOString(), v: alerts + detections })),
        ),
        response: table(
          translate,
          [
            ['kind', ['Finding', 'Ustalenie'], 'text'],
            ['severity', ['Severity', 'Ważność'], 'text'],
            ['findings', ['Findings', 'Liczba'], 'bar'],
            ['timeToTriage', ['To triage', 'Do selekcji'], 'hours'],
            ['timeToNotify', ['To notification', 'Do powiadomienia'], 'hours'],
            ['timeToResolve', ['To resolution', 'Do rozwiązania'], 'hours'],
            ['resolved', ['Resolved', 'Rozwiązane'], 'percent'],
          ],
          {
            rows: figures
              .toSorted((left, right) => rankSeverity(left) - rankSeverity(right))
              .map((one) => [
                translateValue(translate, 'finding', one.kind),
                translateValue(translate, 'severity', one.severity),
                one.findings,
                roundHours(one.seenHours),
                roundHours(one.reportedHours),
                roundHours(one.resolvedHours),
                Math.floor((1000 * one.resolved) / one.findings) / 10,
              ]),
          },
        ),
        notifications: buildNotificationTable(translate, notifications),
        data_quality: buildDataQualityTable(context, status, sources),
      },
      limitations: [
        [
          'Volumes are alerts and alerted detections by the day they began, in UTC; informational detections are left out. The first and the last day are those parts of them that are in the period.',
          'Liczby obejmują alerty oraz wykrycia z alertem według dnia rozpoczęcia (UTC); pominięto wykrycia informacyjne. Pierwszy i ostatni dzień są liczone tylko w części należącej do okresu.',
        ],
        [
          'Times are medians. Triage of an alert ends when its status is no longer "new"; a detection is triaged when it first reaches this service.',
          'Czasy to mediany. Selekcja alertu kończy się, gdy jego status przestaje być „nowy”; wykrycie jest po selekcji, gdy po raz pierwszy trafi do usługi.',
        ],
        lagLimitation,
      ],
    };
  },
};

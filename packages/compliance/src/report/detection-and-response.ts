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
} from '@tenantscope/store';
import { series, table } from './content.ts';
import { dataQualityTable, lagLimitation } from './data-quality.ts';
import { notificationTable } from './notification-table.ts';
import { readStatusAtEnd } from './reading.ts';
import { severitiesGravestFirst, spell } from './vocabulary.ts';
import type { ReportWriter } from './writer.ts';

export interface ResponseFacts {
  readonly days: readonly FindingDay[];
  readonly figures: readonly FindingFigures[];
  readonly notifications: readonly NotificationFigures[];
  readonly sources: SourceStates;
  readonly status: ComplianceStatus;
}

const gravity = ({ severity }: FindingFigures): number =>
  (severitiesGravestFirst as readonly string[]).indexOf(severity);

export const detectionAndResponse: ReportWriter<ResponseFacts> = {
  id: 'detection-and-response',
  async read(reading) {
    return {
      days: await readFindingDays(reading),
      figures: await readFindingFigures(reading),
      notifications: await readNotificationFigures(reading),
      sources: await readSourceStates(reading.client, { tenantId: reading.tenantId, nowMs: reading.toMs }),
      status: await readStatusAtEnd(reading),
    };
  },
  write({ days, figures, notifications, sources, status }, page) {
    const { say } = page;
    const hours = (value: number | null) => (value === null ? null : Math.round(10 * value) / 10);
    return {
      sections: {
        volumes: series(
          days.map(({ dayMs, alerts, detections }) => ({ t: new Date(dayMs).toISOString(), v: alerts + detections })),
        ),
        response: table(
          say,
          [
            ['kind', ['Finding', 'Ustalenie'], 'text'],
            ['severity', ['Severity', 'Ważność'], 'text'],
            ['findings', ['Findings', 'Liczba'], 'bar'],
            ['seen', ['To triage', 'Do selekcji'], 'hours'],
            ['told', ['To being told', 'Do powiadomienia'], 'hours'],
            ['resolvedIn', ['To resolution', 'Do rozwiązania'], 'hours'],
            ['resolved', ['Resolved', 'Rozwiązane'], 'percent'],
          ],
          {
            rows: figures
              .toSorted((left, right) => gravity(left) - gravity(right))
              .map((one) => [
                spell(say, 'finding', one.kind),
                spell(say, 'severity', one.severity),
                one.findings,
                hours(one.seenHours),
                hours(one.toldHours),
                hours(one.resolvedHours),
                Math.floor((1000 * one.resolved) / one.findings) / 10,
              ]),
          },
        ),
        notifications: notificationTable(say, notifications),
        data_quality: dataQualityTable(page, status, sources),
      },
      limitations: [
        [
          'Volumes are alerts and alerted detections by the day they began, in UTC; detections of the informational tier are left out.',
          'Wolumeny to alerty i wykrycia z alarmem według dnia rozpoczęcia (UTC); pominięto wykrycia poziomu informacyjnego.',
        ],
        [
          'Times are medians. Triage of an alert ends when its status leaves «new»; a detection is triaged when it first reaches this service.',
          'Czasy to mediany. Selekcja alertu kończy się, gdy jego status przestaje być „nowy”; wykrycie jest po selekcji, gdy po raz pierwszy trafi do usługi.',
        ],
        lagLimitation,
      ],
    };
  },
};

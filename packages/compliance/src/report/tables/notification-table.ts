import type { ReportContent } from '@tenantscope/contract';
import type { NotificationFigures } from '@tenantscope/store/compliance';
import { table } from '../content.ts';
import type { Translate } from '../language.ts';
import { translateValue } from '../value-labels.ts';

/** By channel. */
export function buildNotificationTable(translate: Translate, figures: readonly NotificationFigures[]): ReportContent {
  return table(
    translate,
    [
      ['channel', ['Channel', 'Kanał'], 'text'],
      ['sent', ['Sent', 'Wysłane'], 'bar'],
      ['suppressed', ['Suppressed', 'Wstrzymane'], 'bar'],
      ['explained', ['Of these with a reason', 'Z tego z podanym powodem'], 'count'],
      ['failed', ['Failed', 'Nieudane'], 'bar'],
    ],
    {
      rows: figures.map((one) => [
        translateValue(translate, 'channel', one.channel),
        one.sent,
        one.suppressed,
        one.explained,
        one.failed,
      ]),
    },
  );
}

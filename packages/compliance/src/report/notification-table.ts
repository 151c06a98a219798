import type { ReportContent } from '@tenantscope/contract';
import type { NotificationFigures } from '@tenantscope/store';
import { table } from './content.ts';
import type { Say } from './language.ts';
import { spell } from './vocabulary.ts';

/** By channel. */
export function notificationTable(say: Say, figures: readonly NotificationFigures[]): ReportContent {
  return table(
    say,
    [
      ['channel', ['Channel', 'Kanał'], 'text'],
      ['sent', ['Sent', 'Wysłane'], 'bar'],
      ['suppressed', ['Suppressed', 'Wstrzymane'], 'bar'],
      ['explained', ['Of these with a reason', 'Z tego z podanym powodem'], 'count'],
      ['failed', ['Failed', 'Nieudane'], 'bar'],
    ],
    {
      rows: figures.map((one) => [
        spell(say, 'channel', one.channel),
        one.sent,
        one.suppressed,
        one.explained,
        one.failed,
      ]),
    },
  );
}

import { listFeedTopics } from '@tenantscope/contract';
import type { FinishedRestore, RestoredLane } from '@tenantscope/store/restore';
import type { CommandResult } from '../../output/command-result.ts';
import { formatCount } from '../../output/count.ts';
import { formatTable } from '../../output/table.ts';
import { formatTopic } from '../ingestion/lanes.ts';
import type { MeasuredLane } from './restored-lanes.ts';

export interface RestoreReport extends FinishedRestore {
  readonly server: string;
  readonly lanes: readonly MeasuredLane[];
  /** Topics whose logs were not seen. */
  readonly unmeasured: readonly Pick<RestoredLane, 'cluster' | 'topic'>[];
  readonly withLedger: boolean;
  /** Messages of the ledger's topic that this installation has not written. */
  readonly foreign: number;
}

/** A feed changed where its lanes read again what they had read: rows that were served come back with later times. */
export function describeRestore({
  server,
  applied,
  endedSessions,
  accountsToSetUp,
  windows,
  lanes,
  unmeasured,
  withLedger,
  foreign,
}: RestoreReport): CommandResult {
  const feeds = windows.map(({ feed, fromMs, toMs }) => {
    const own = lanes.filter(({ source }) => listFeedTopics(feed).includes(source));
    const count = (of: (lane: MeasuredLane) => number) => own.reduce((sum, lane) => sum + of(lane), 0);
    return {
      feed,
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      readAgain: count(({ readAgain }) => readAgain),
      lost: count(({ lost }) => lost),
    };
  });
  const changed = feeds.filter(({ readAgain, lost }) => readAgain > 0 || lost > 0);
  const entries = Object.fromEntries(applied);
  const lines = [
    `Entries of the ledger applied: ${
      Object.entries(entries)
        .map(([table, count]) => `${count} of ${table}`)
        .join(', ') || 'none'
    }.`,
    `Sessions of the console ended: ${endedSessions}.`,
    ...(accountsToSetUp.length === 0
      ? []
      : [
          `Set up again with "tenantscope console set-up", since their passwords or authenticators changed after the backup: ${accountsToSetUp.join(', ')}.`,
        ]),
    formatTable(
      changed,
      [
        ['feed', ({ feed }) => feed],
        ['changed after', ({ from }) => from],
        ['until', ({ to }) => to],
        ['messages read again, at least', ({ readAgain }) => readAgain],
        ['lost', ({ lost }) => lost],
      ],
      'No window that was served has changed.',
    ),
    ...(unmeasured.length === 0
      ? []
      : [
          `Not measured: ${unmeasured.map(({ cluster, topic }) => formatTopic(cluster, topic)).join(', ')}. What they received since the backup is read again, as far as Kafka has it.`,
        ]),
    'The epoch is open. Start the processes.',
  ];
  const lost = changed.filter((feed) => feed.lost > 0);
  const problems = [
    ...lost.map(
      (feed) =>
        `lost, since Kafka does not have them any more: ${formatCount(feed.lost, 'message')} of ${feed.feed}; import them again from their source`,
    ),
    ...(foreign === 0
      ? []
      : [
          `${formatCount(foreign, 'message')} of the ledger's topic ${foreign === 1 ? 'was' : 'were'} not recorded by this installation and not applied; find out who may write to it`,
        ]),
    ...(withLedger
      ? []
      : [
          'the ledger was not applied: keys that were revoked since the backup work again; check "tenantscope key list"',
        ]),
  ];
  return {
    document: {
      server,
      finished: true,
      applied: entries,
      endedSessions,
      accountsToSetUp,
      foreign,
      unmeasured,
      feeds,
      changed: changed.map(({ feed }) => feed),
    },
    text: lines.join('\n'),
    problems,
  };
}

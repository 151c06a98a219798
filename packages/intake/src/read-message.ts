import type { TopicName } from '@tenantscope/contract';
import { readActivity } from './activity/read-activity.ts';
import type { Message } from './message/envelope.ts';
import type { ReadingContext } from './message/reading-context.ts';
import type { RejectedRecord } from './message/record-outcome.ts';
import { readRecords } from './read-records.ts';
import { readTenantRecord } from './tenant-record.ts';

/** Why no record of a message is accepted, by its first one; null where at least one is: the others become dead letters of their own. */
export function findRejection(
  topic: TopicName,
  message: Message,
  context: ReadingContext,
): Pick<RejectedRecord, 'reason' | 'detail'> | null {
  const outcomes = readOutcomes(topic, message, context);
  const rejected = outcomes.filter((outcome) => outcome.kind === 'rejected');
  return rejected.length === outcomes.length ? (rejected[0] ?? null) : null;
}

type ReadOutcome =
  | { readonly kind: 'accepted' }
  | (Pick<RejectedRecord, 'reason' | 'detail'> & { readonly kind: 'rejected' });

function readOutcomes(topic: TopicName, message: Message, context: ReadingContext): readonly ReadOutcome[] {
  const outcomes =
    topic === 'activity'
      ? readActivity(message, context)
      : topic === 'tenant'
        ? [readTenantRecord(message, context.nowMs)]
        : readRecords(topic, message, context);
  return outcomes.map((outcome) =>
    outcome.kind === 'rejected'
      ? { kind: 'rejected', reason: outcome.reason, detail: outcome.detail }
      : { kind: 'accepted' },
  );
}

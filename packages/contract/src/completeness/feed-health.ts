import { z } from 'zod';
import { document } from '../operation/operation.ts';
import { nullableInstant } from '../record/scalar.ts';

const feedGaps = z
  .object({
    deadLetters: z.int().min(0).meta({
      description:
        "Records of this tenant that arrived over the feed's own topics, could not become rows and wait for a decision of the operator. They become rows when they are replayed, with a discoveredAt or updatedAt of that time.",
    }),
    deadLettersSince: nullableInstant('Hour in which the first of them arrived. null without any.'),
    skippedRecords: z.int().min(0).meta({
      description: 'Of these, records that an operator skipped, because their lane could not continue.',
    }),
    skippedAt: nullableInstant(
      'When an operator last skipped records of these topics whose tenant could not be read: they may be of any tenant. null if there is no such record, or each was decided.',
    ),
  })
  .meta({ id: 'FeedGaps' });

const feedHealth = z
  .object({
    feed: z.string().meta({ description: 'Name of the feed. Feeds may be added.' }),
    scopes: z.array(z.string()).max(100).meta({ description: 'Scopes that open its records.' }),
    completeThrough: nullableInstant(
      'A window on the write clock that ends at or before this instant never gains a row. null while it is unknown: lists respond 503.',
    ),
    lagMs: z.int().min(0).nullable().meta({
      description:
        'Milliseconds from completeThrough to the clock of the database: usually below 1,000. null while it is unknown.',
    }),
    unreadSince: nullableInstant(
      'Time of the oldest record in Kafka that was measured as unread on the lanes of the feed, of any tenant. null if there is no such record.',
    ),
    newestAt: nullableInstant(
      'discoveredAt or updatedAt of the newest row of this tenant, as ingestion counted it. null without rows.',
    ),
    retainedFrom: nullableInstant('Start of the stored history. null if rows are not deleted by age.'),
    retentionDays: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Days for which rows are stored. null if rows are not deleted by age.' }),
    epoch: z.int().min(0).nullable().meta({
      description:
        'Number of the epoch of the database. A greater one than before: a standby was promoted, and rows that it had not received are read from Kafka again, with new times.',
    }),
    epochSince: nullableInstant('When that epoch began.'),
    gaps: feedGaps.meta({ description: 'Missing records, where the service counts them.' }),
  })
  .meta({ id: 'FeedHealth', description: 'How complete and current a feed is for the tenant.' });

export type FeedHealth = z.infer<typeof feedHealth>;

export const listFeeds = document({
  name: 'list_feeds',
  path: '/feeds',
  scope: null,
  tenant: 'required',
  returns: 'collection',
  summary: 'Completeness of the feeds',
  description:
    "How far each feed is complete, what is unread, and what is missing for the selected tenant, on one page. Only feeds of which one of the key's scopes opens records.",
  toolDescription:
    'How complete and current each feed is, and where its history begins. Call it when a result is empty or old, before concluding that nothing happened.',
  containsUntrustedText: false,
  record: feedHealth,
  examples: [{ description: 'All feeds', input: {} }],
});

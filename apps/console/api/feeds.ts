import type { FeedName } from '@tenantscope/contract/feeds';

export type { FeedName };

import * as z from 'zod/mini';
import { defineRoute, noParameters, nullableNumber, nullableString, readonlyArray, roles } from './route.ts';

/** Checked against the contract by its type; the list itself is not needed in the browser. */
const feedName = z.custom<FeedName>((name) => typeof name === 'string');

const lane = z.object({
  topic: z.string(),
  source: z.string(),
  partition: z.number(),
  nextOffset: z.number(),
  settledAt: z.string(),
  writtenAt: nullableString,
  state: z.enum(['running', 'stopped', 'tripped']),
  reason: nullableString,
  /** The process that reads it, as it last reported, since when and when that was. */
  worker: nullableString,
  assignedAt: nullableString,
  observedAt: nullableString,
  /** Where the broker's log ended then. */
  endOffset: nullableNumber,
  /** Records that Kafka had at this time are not read yet. */
  unreadSince: nullableString,
  lagMs: z.number(),
  /** The lag, or longer where records lie in Kafka unread. */
  lateMs: z.number(),
  /** Records that Kafka has and that are not read yet; null: not known. */
  unread: nullableNumber,
  /** Whether its consumer reported recently. */
  isRead: z.boolean(),
});
export type Lane = z.output<typeof lane>;

const feedSummary = z.object({
  feed: feedName,
  state: z.enum(['settled', 'late', 'stopped', 'unproven']),
  /** Null: nothing can be proven of it, and the API responds 503. */
  settledTo: nullableString,
  /** How far that lies behind the clock. */
  lagMs: z.number(),
  lateMs: z.number(),
  unread: nullableNumber,
  /** Dead letters that wait for an operator. */
  pending: z.number(),
  /** The slowest first: the feed is as far as that one. */
  lanes: readonlyArray(lane),
});
export type FeedSummary = z.output<typeof feedSummary>;

/** An hour of a feed, minute by minute; null is a minute in which no ingestion ran. */
const feedHour = z.object({
  from: z.string(),
  lagMs: readonlyArray(nullableNumber),
  rows: readonlyArray(nullableNumber),
  /** Rows per minute over the last whole minutes. */
  rowsPerMinute: nullableNumber,
  /** No row in the hour: where the feed is settled, nothing is late. */
  isQuiet: z.boolean(),
});
export type FeedHour = z.output<typeof feedHour>;

const feed = z.extend(feedSummary, { hour: feedHour });
export type Feed = z.output<typeof feed>;

const source = z.object({
  tenantId: z.string(),
  source: z.string(),
  lastOccurredAt: nullableString,
  lastDiscoveredAt: z.string(),
  rowCount: z.number(),
  /** When its producer last imported all of it, which counts as a row. */
  importedAt: nullableString,
  /** Null: a source that this version does not declare. */
  feed: z.nullable(feedName),
  /** Quiet: nothing for an hour, which proves nothing. Silent: requirements that read it count as without data. */
  state: z.enum(['heard', 'quiet', 'silent']),
  /** The last row, or the last complete import that brought none. */
  heardAt: z.string(),
});
export type Source = z.output<typeof source>;

export const listFeeds = defineRoute({
  method: 'GET',
  path: '/feeds',
  roles,
  input: noParameters,
  output: z.object({
    databaseNow: z.string(),
    apiResponds: z.boolean(),
    pending: z.number(),
    feeds: readonlyArray(feed),
    sources: readonlyArray(source),
  }),
});
export type FeedOverview = z.output<(typeof listFeeds)['output']>;

/** The settled status in the frame of every screen, from the same report as feed health. */
export const readSettled = defineRoute({
  method: 'GET',
  path: '/settled',
  roles,
  input: noParameters,
  output: z.object({
    databaseNow: z.string(),
    state: z.enum(['settled', 'late', 'unproven']),
    settledTo: nullableString,
    lagMs: z.number(),
    worst: z.nullable(z.object({ feed: feedName, lagMs: z.number(), isStalled: z.boolean() })),
    pending: z.number(),
    /** Whether the API responds at all, however far feeds are. */
    apiResponds: z.boolean(),
  }),
});
export type Settled = z.output<(typeof readSettled)['output']>;

import type { FeedName } from '@tenantscope/contract/feeds';

export type { FeedName };

import * as z from 'zod/mini';
import { defineRoute, nullableNumber, nullableString, readonlyArray, roles } from './route.ts';

/** Checked against the contract by its type; the list itself is not needed in the browser. */
const feedName = z.custom<FeedName>((name) => typeof name === 'string');

const lane = z.object({
  /** The configured name of its Kafka cluster. */
  cluster: z.string(),
  topic: z.string(),
  source: z.string(),
  partition: z.number(),
  nextOffset: z.number(),
  settledAt: z.string(),
  writtenAt: nullableString,
  /** Unbound: the source binding of its topic was removed. Stopped, tripped: ingestion paused it. Stalled: it should move and does not. Late: it moves, 10 s behind or more. */
  state: z.enum(['running', 'late', 'stalled', 'stopped', 'tripped', 'unbound']),
  reason: nullableString,
  /** Why it is stalled, and since when. */
  stall: z.nullable(z.enum(['no progress', 'no consumer', 'not measured', 'watermark'])),
  stalledSince: nullableString,
  /** The process that reads it, as it last reported, since when and when that was. */
  worker: nullableString,
  assignedAt: nullableString,
  observedAt: nullableString,
  /** Records that Kafka has and that are not read; null: not known. */
  unread: nullableNumber,
  /** The time of the oldest of them. */
  unreadSince: nullableString,
  /** When the log was last measured. */
  measuredAt: nullableString,
  lagMs: z.number(),
  /** The lag, or longer where records lie in Kafka unread. */
  lateMs: z.number(),
  /** Whether its consumer reported recently. */
  isRead: z.boolean(),
});
export type Lane = z.output<typeof lane>;

const feedState = z.enum(['settled', 'late', 'stalled', 'unproven']);
export type FeedState = z.output<typeof feedState>;

/** The state of all feeds: that of the worst, and which feeds are in it. Every screen shows it. */
const overallState = z.object({
  state: feedState,
  feeds: readonlyArray(feedName),
  isEveryFeed: z.boolean(),
  lateMs: z.number(),
});
export type OverallState = z.output<typeof overallState>;

const feedSummary = z.object({
  feed: feedName,
  /** The worst state of its lanes. Stalled: a lane does not move. Unproven: a source has no lane. */
  state: feedState,
  /** Null: nothing can be proven of it, and the API responds 503. */
  settledTo: nullableString,
  /** How far that lies behind the clock. */
  lagMs: z.number(),
  lateMs: z.number(),
  unread: nullableNumber,
  /** The time of the oldest unread record: the feed is complete up to settledTo, but behind. */
  unreadSince: nullableString,
  /** Dead letters that wait for an operator. */
  pending: z.number(),
  laneCount: z.number(),
  /** The feed is as far as this lane. */
  slowestLane: z.nullable(z.pick(lane, { cluster: true, source: true, partition: true })),
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

/** What changes every ten seconds at most; the rest of feed health changes with every tick. */
const feedActivity = z.extend(feedHour, {
  feed: feedName,
  /** The provider's time of the newest row of its sources; null: none. */
  lastOccurredAt: nullableString,
});
export type FeedActivity = z.output<typeof feedActivity>;

/** A time of which a collector reports that records may be missing. */
const sourceGap = z.object({ from: z.string(), to: z.string(), reason: nullableString });

const source = z.object({
  tenantId: z.string(),
  source: z.string(),
  lastOccurredAt: nullableString,
  /** Null: a collector reports it, and it has no row. */
  lastDiscoveredAt: nullableString,
  rows: z.number(),
  /** When its producer last imported all of it, which counts as a row. */
  importedAt: nullableString,
  /** A category or table that this version does not list: its rows have common members only. */
  isUnlisted: z.boolean(),
  /** Null: no collector reports about it, and gaps are unknown. */
  gaps: z.nullable(readonlyArray(sourceGap)),
  /** Null: a source that this version does not declare. */
  feed: z.nullable(feedName),
  /** Whether a collector of it is enabled; null where none reports. */
  isEnabled: z.nullable(z.boolean()),
  /** Quiet: nothing for an hour, which proves nothing. Silent: requirements that read it count as without data. Missing: neither a row nor a complete import yet. */
  state: z.enum(['heard', 'quiet', 'silent', 'missing']),
  /** The last row, or the last complete import that brought none; null: missing. */
  heardAt: nullableString,
});
export type Source = z.output<typeof source>;

/** Records of a format that are no rows: dead letters that are not settled. */
const rejectedFormat = z.object({
  tenantId: z.string(),
  /** Null where the message names no format of its topic. */
  format: nullableString,
  rejected: z.number(),
  /** Of everything that arrived for the tenant, from 0 to 1. */
  share: z.number(),
});
export type RejectedFormat = z.output<typeof rejectedFormat>;

/** A topic of a collector whose records are all of one tenant. */
const binding = z.object({
  id: z.string(),
  cluster: z.string(),
  topic: z.string(),
  format: z.string(),
  tenantId: z.string(),
  createdAt: z.string(),
  state: z.enum(['removed', 'waiting', 'not read', 'read']),
  /** Why it is not read, or does not move. */
  reason: nullableString,
  lanes: z.number(),
  unread: z.number(),
  writtenAt: nullableString,
});
export type Binding = z.output<typeof binding>;

/** What a promotion of a standby would do to served pages, as an api process sees it. */
const failover = z.object({
  /** Host and process id of the api. */
  host: z.string(),
  epoch: nullableNumber,
  /** Null while every standby that may be promoted has all that was served. */
  problem: nullableString,
  /** Standbys that do not respond and that completeness waits for. */
  waitsFor: nullableString,
  standbys: readonlyArray(
    z.object({
      name: z.string(),
      /** Whether it may be promoted, and so bounds completeness. */
      isBounding: z.boolean(),
      lagMs: nullableNumber,
    }),
  ),
});
export type Failover = z.output<typeof failover>;

/** Whose dead letters are counted; left out: all that the member may see. Lanes and rows are those of the whole service. */
const deadLettersOf = z.object({ tenantId: z.optional(z.guid()) });

/** Polled every two seconds: only what changes with every tick, and the lanes of the feed that is open. */
export const listFeeds = defineRoute({
  method: 'GET',
  path: '/feeds',
  roles,
  input: z.extend(deadLettersOf, { lanesOf: z.optional(z.string()) }),
  output: z.object({
    databaseNow: z.string(),
    apiResponds: z.boolean(),
    pending: z.number(),
    overall: overallState,
    /** Cells of the tenants whose databases do not respond: no feed is proven meanwhile, and lanes are those of the other cells. */
    unavailableCells: readonlyArray(z.string()),
    feeds: readonlyArray(feedSummary),
    /** The feed that the request names, and its lanes, the slowest first. */
    lanesOf: z.nullable(feedName),
    lanes: readonlyArray(lane),
  }),
});

/** The last hour of each feed, the sources and the bound topics, which ingestion reports every ten seconds, and the standbys, which each api reports every 15. */
export const readFeedActivity = defineRoute({
  method: 'GET',
  path: '/feeds/activity',
  roles,
  /** Left out: all tenants that the member may see. */
  input: z.object({ tenantId: z.optional(z.guid()) }),
  output: z.object({
    feeds: readonlyArray(feedActivity),
    /** Of many tenants, those of 100 with the most silent ones. */
    sources: readonlyArray(source),
    /** How many tenants are left out. */
    otherTenants: z.number(),
    rejected: readonlyArray(rejectedFormat),
    bindings: readonlyArray(binding),
    /** Of each api process that has standbys. */
    failovers: readonlyArray(failover),
  }),
});

/** The settled status in the frame of every screen, from the same report as feed health. */
export const readSettled = defineRoute({
  method: 'GET',
  path: '/settled',
  roles,
  input: deadLettersOf,
  output: z.object({
    databaseNow: z.string(),
    overall: overallState,
    settledTo: nullableString,
    pending: z.number(),
    /** Whether the API responds at all, however far feeds are. */
    apiResponds: z.boolean(),
  }),
});
export type Settled = z.output<(typeof readSettled)['output']>;

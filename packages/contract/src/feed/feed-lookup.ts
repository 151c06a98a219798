import type { Feed, ScopeGroup, Source } from './feed.ts';
import {
  type FeedName,
  type FeedReference,
  type FeedScope,
  type FeedTopicName,
  feedNames,
  feeds,
  type RecordTableName,
} from './feeds.ts';
import { topics } from './topics.ts';

/** Topics of mutable records: of every feed but the audit log, whose rows are appended. */
export type RecordTopicName = Exclude<FeedTopicName, (typeof feeds)['logs']['topics'][number]>;

/** Names of sources, such as `users` or `security_alerts`. */
export type SourceName = { [Name in FeedName]: keyof (typeof feeds)[Name]['sources'] }[FeedName];

const entries = Object.entries(feeds) as readonly (readonly [FeedName, Feed])[];
const declaredSources = entries.flatMap(([feed, { sources }]) =>
  Object.entries(sources).map(([name, source]) => [name as SourceName, { ...source, feed }] as const),
);

export const sources = Object.fromEntries(declaredSources) as Readonly<
  Record<SourceName, Source & { readonly feed: FeedName }>
>;

export const isSourceName = (name: string): name is SourceName => Object.hasOwn(sources, name);

type DeclaredSource = {
  [Name in FeedName]: (typeof feeds)[Name]['sources'][keyof (typeof feeds)[Name]['sources']];
}[FeedName];
type RecordName = Exclude<(DeclaredSource & Source)['recordName'], null>;

/** The source of each record kind: producers use these names in `sourceStatus` records. */
export const sourceByRecordName = Object.fromEntries(
  declaredSources.flatMap(([name, { recordName }]) => (recordName === null ? [] : [[recordName, name] as const])),
) as Readonly<Record<RecordName, SourceName>>;

export const recordTopicNames = feedNames
  .filter((name) => name !== 'logs')
  .flatMap((name): readonly string[] => feeds[name].topics) as readonly RecordTopicName[];

export const recordTableNames = entries.flatMap(([, { recordTable }]) =>
  recordTable === null ? [] : [recordTable],
) as readonly RecordTableName[];

/** By-id references to records of feeds; entity kinds have their own. */
export const feedReferences = entries.flatMap(([, { reference }]) =>
  reference === null ? [] : [reference],
) as readonly FeedReference[];

/** Suffixes of the topics that write a feed, its own first: the sources of its lanes. */
export function listFeedTopics(feed: FeedName): readonly string[] {
  const { topics: own, alsoWrittenBy } = feeds[feed] as Feed;
  return [...own, ...alsoWrittenBy].map((name) => topics[name].suffix);
}

/** The feed that a topic belongs to, by the name of the topic with any prefix; null for topics of no feed, such as `tenant.v1`. */
export function findFeedByTopic(topic: string): FeedName | null {
  const found = entries.find(([, feed]) => feed.topics.some((name) => `.${topic}`.endsWith(`.${topics[name].suffix}`)));
  return found?.[0] ?? null;
}

export const scopeGroups = Object.fromEntries(
  entries.flatMap(([, { scopes, scopeGroup }]) => scopes.map((scope) => [scope, scopeGroup])),
) as Readonly<Record<FeedScope, ScopeGroup>>;

export type { ScopeGroup } from './feed.ts';
export type { FeedName, FeedScope as Scope } from './feeds.ts';

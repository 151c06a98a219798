import type { TopicName } from './topics.ts';

/** A data source whose progress is reported per tenant, under the name it has in `models.source_status`. */
export interface Source {
  /** The name that producers use in `sourceStatus` records; null where they use the name of the source itself. */
  readonly recordName: string | null;
}

/** Which part of the API a scope opens, as the console groups scopes. */
export type ScopeGroup = 'feeds' | 'evidence' | 'entities';

/** Records that arrive over the same topics and become complete together. */
export interface Feed {
  /** The topics of this feed; none where its records arrive over those of other feeds. */
  readonly topics: readonly TopicName[];
  /** Topics of other feeds whose messages also write rows of this feed: its watermark waits for their lanes too. */
  readonly alsoWrittenBy: readonly TopicName[];
  /** The table in `models` that stores the newest state of each record; null where records are appended or merged from parts. */
  readonly recordTable: string | null;
  /** The scopes that open its records. */
  readonly scopes: readonly string[];
  readonly scopeGroup: ScopeGroup;
  /** How other records refer to a record of this feed by id; null where no operation returns one by id, or each entity kind has its own. */
  readonly reference: { readonly kind: string; readonly getOperation: string } | null;
  readonly sources: Readonly<Record<string, Source>>;
}

import type { CollectionGap } from '@tenantscope/store/collect';

/** Something that a listing names: a record, or content that has to be fetched. */
export interface Entry {
  /** The same whenever it is listed with the same content. */
  readonly id: string | Buffer;
  /** The time by which it is listed. */
  readonly timeMs: number;
  /** Its records, or a gap where the provider no longer has them. */
  load(): Promise<Loaded> | Loaded;
}

export interface Loaded {
  readonly records: readonly Buffer[];
  readonly gaps: readonly CollectionGap[];
}

export interface Listing {
  readonly entries: readonly Entry[];
  /** Path and query of the next page. */
  readonly next: string | null;
  /** Why the page has not all records: it is requested again. Absent or null: it has. */
  readonly missing?: string | null;
}

/** A part of the past that is listed again from time to time, since a provider lists some records late. */
export interface Reread {
  readonly everyMs: number;
  readonly backMs: number;
}

/** A provider's listing by time. */
export interface WindowSource {
  /** Of one listing. An interrupted one continues at its page. */
  readonly windowMs: number;
  /** A window whose listing fails is listed in parts, which are at least this long. */
  readonly partMinMs: number;
  /** Each listing begins this much before the last one ended. */
  readonly overlapMs: number;
  /** From the shortest to the longest. */
  readonly rereads: readonly Reread[];
  /** Older records cannot be listed. */
  readonly retentionMs: number;
  readonly retentionReason: string;
  /** The first listing begins at most this long ago. */
  readonly firstMs: number;
  /** Records of a page, at most; 1: the provider decides. */
  readonly pageMax: number;
  /** A page of the listing of a window. `expired`: the link to the page is no longer valid. */
  list(fromMs: number, toMs: number, next: string | null, pageMax: number): Promise<Listing | 'expired'>;
}

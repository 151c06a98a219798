import type { SigningKey } from '@tenantscope/proof';
import type { ReadModels, Watermark } from '@tenantscope/store/read';
import type { CursorCodec } from '../records/cursor.ts';
import type { ConcurrencyLimiter } from '../throttling/concurrency-limit.ts';
import type { StatusCache } from './status-cache.ts';

/** What compliance documents, reports and packs are created with. */
export interface DocumentDependencies {
  /** On connections of their own: documents never occupy those of pages. */
  readonly documentModels: ReadModels;
  readonly documentLimiter: ConcurrencyLimiter;
  readonly statusCache: StatusCache;
  readonly statusMaxAgeMs: number;
  readonly watermark: Watermark;
  readonly cursors: CursorCodec;
  /** The time zone of a tenant: an IANA name, as configured. */
  readonly findTimeZone: (tenantId: string) => Promise<string>;
  /** Null: packs are not signed. */
  readonly readSigning: () => Promise<{ readonly key: SigningKey; readonly keysUrl: string } | null>;
}

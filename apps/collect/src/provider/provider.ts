import type { CollectionGap } from '@tenantscope/store/collect';
import type { SendRequest } from '../http/provider-request.ts';

/** What a provider module needs to know of a stream. */
export interface StreamInput {
  readonly stream: string;
  /** Scheme and host of the provider's API. */
  readonly url: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The content of the secret file, without surrounding space. */
  readonly secret: string;
  /** That of the last page; null for the first run. The module reads it as `unknown`. */
  readonly position: unknown;
  readonly startAtMs: number;
  /** Of the collector. */
  readonly createdAtMs: number;
  /** Up to when the stream was complete; null: it never was. */
  readonly completedAtMs: number | null;
  readonly nowMs: number;
  readonly send: SendRequest;
  /** By how much the provider's clock is ahead of that of this host; 0 before its first response. */
  clockAheadMs(): number;
}

/** After the first response: the time of the run by the clock of the provider, which decides what it lists and what it refuses as too old. */
export function withProviderClock(input: StreamInput): StreamInput {
  return { ...input, nowMs: input.nowMs + input.clockAheadMs() };
}

/** Records, and the position behind them. */
export interface Page {
  /** The provider's text of each record, unchanged. */
  readonly records: readonly Buffer[];
  /** Of each record, in epoch ms; absent where records are states. */
  readonly times?: readonly number[];
  /** JSON. Stored once Kafka has the records; the next run continues there. */
  readonly position: unknown;
  /** Times whose records the provider no longer has. */
  readonly gaps?: readonly CollectionGap[];
  /** False: each run stores such a page before it comes to where the last one failed. */
  readonly isProgress?: boolean;
}

/**
 * Describes how the pages of a provider's streams are requested. Throws ProviderFailure; ends when there is nothing newer. A module neither waits nor
 * retries: a run that fails is continued at the position of its last page when it is due again.
 */
export interface Provider {
  /** Up to when a run that ended is complete: up to the last request, where pages follow the log's end, or up to its start, where it reads windows of time. */
  readonly completeAt: 'runStart' | 'lastRequest';
  readPages(input: StreamInput): AsyncGenerator<Page>;
}

import type { KeySet } from '@tenantscope/proof';
import type { Log } from '@tenantscope/runtime';
import type { Keys } from '@tenantscope/store';
import type { FailedLogins } from './failed-logins.ts';
import type { Handlers } from './invoke.ts';
import type { KeyUsageCount } from './key-usage.ts';
import type { Observations } from './observations.ts';
import type { RateLimit } from './rate-limit.ts';

/** What the routes stand on; `startApi` puts it together. */
export interface Service {
  /** The base address as callers know it, without a slash at its end. */
  readonly publicUrl: string;
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may call the tool endpoint. */
  readonly toolOrigins: readonly string[];
  /** What evidence packs are verified with. */
  readonly evidenceKeys: KeySet;
  readonly log: Log;
  readonly keys: Keys;
  readonly handlers: Handlers;
  readonly rateLimit: RateLimit;
  readonly failedLogins: FailedLogins;
  readonly usage: KeyUsageCount;
  readonly observations: Observations;
}

import type { KeySet } from '@tenantscope/proof';
import type { Log } from '@tenantscope/runtime';
import type { FailedLoginLimit } from './auth/failed-login-limit.ts';
import type { KeyUsageCounter } from './auth/key-usage.ts';
import type { GuardedKeys } from './auth/unknown-keys.ts';
import type { Handlers } from './invoke.ts';
import type { ApiMetrics } from './metrics.ts';
import type { TailWaits } from './records/tail-waits.ts';
import type { RateLimiter } from './throttling/rate-limiter.ts';

/** Dependencies of the routes; `startApi` creates them. */
export interface Dependencies {
  /** The public base URL, without a trailing slash. */
  readonly publicUrl: string;
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may call the MCP endpoint. */
  readonly allowedMcpOrigins: readonly string[];
  /** The public keys that verify evidence packs. */
  readonly readPublishedKeys: () => Promise<KeySet>;
  readonly log: Log;
  /** Whether each request is a line of the log (access-log.ts); otherwise at level debug only. */
  readonly logsAccess: boolean;
  readonly keys: GuardedKeys;
  readonly handlers: Handlers;
  readonly rateLimiter: RateLimiter;
  /** Of the cell of a tenant. */
  readonly findTailWaits: (cell: string) => Pick<TailWaits, 'begin'>;
  readonly failedLogins: FailedLoginLimit;
  readonly keyUsage: KeyUsageCounter;
  readonly metrics: ApiMetrics;
}

import {
  commaList,
  databaseUrl,
  databaseUrlList,
  postgresVariables,
  redisVariables,
  secret,
} from '@tenantscope/runtime';
import { z } from 'zod';

/**
 * Environment variables of the API, besides those of `postgresVariables` and `redisVariables`. A secret may be in a file: NAME_FILE.
 *
 * TENANTSCOPE_API_DATABASE_URL       read models, as the login that may only SELECT
 * TENANTSCOPE_STANDBY_DATABASE_URLS  standbys that may be promoted, comma list; empty by default
 * TENANTSCOPE_KEYS_DATABASE_URL      control schema, as the login that may only call two functions
 * TENANTSCOPE_CURSOR_SECRETS         comma list, each at least 32 characters; the first signs, all verify
 * TENANTSCOPE_PUBLIC_URL             public base URL for links; ends in /api/v1
 * TENANTSCOPE_HOST, TENANTSCOPE_PORT listen address, 127.0.0.1 and 8080 by default
 * TENANTSCOPE_HEALTH_PORT            /livez, /readyz, /metrics; 9080 by default
 * TENANTSCOPE_TRUSTED_PROXIES        comma list of addresses or networks whose X-Forwarded-For is trusted; empty by default
 * TENANTSCOPE_MCP_ORIGINS            comma list of origins whose pages may call the MCP endpoint; empty by default
 * TENANTSCOPE_SIGNING_KEY            signs evidence packs: a private Ed25519 JWK or PKCS #8 PEM, or a file with it; unset by default
 * TENANTSCOPE_SIGNING_KEY_ID         its kid if the JWK has no kid; its thumbprint by default
 * TENANTSCOPE_RETIRED_KEYS           former public keys that are still published: a JWKS, or a file with it
 * TENANTSCOPE_READ_CONCURRENCY       pages and records read at once by this process, on as many connections; 16 by default
 * TENANTSCOPE_DOCUMENT_CONCURRENCY   compliance documents, reports and packs read at once by this process, on connections of their own; 6 by default
 * TENANTSCOPE_DOCUMENTS_PER_TENANT   of these, of one tenant; 2 by default
 * TENANTSCOPE_DOCUMENTS_PER_ORGANIZATION  of these, of one organization; 4 by default
 * TENANTSCOPE_DOCUMENT_QUEUE_MS      how long a document waits for its turn before 429; 5000 by default
 * TENANTSCOPE_CONTENDED_SHARE        share of its time budgets that a key or tenant has while tenants delay each other; 0.25 by default, 1 turns it off
 * TENANTSCOPE_STATUS_MAX_AGE_SECONDS how long a compliance status is returned again while its facts are unchanged; 60 by default, 0 turns it off
 * TENANTSCOPE_STATUS_CACHE_MIB       memory for these, in MiB; 32 by default, about 100 tenants
 * TENANTSCOPE_DRAIN_MS               how long requests are served after SIGTERM, until load balancers notice; 2000 by default
 * TENANTSCOPE_LOG_LEVEL              info by default
 */
export const apiConfig = z.object({
  TENANTSCOPE_API_DATABASE_URL: databaseUrl(),
  TENANTSCOPE_STANDBY_DATABASE_URLS: databaseUrlList(),
  TENANTSCOPE_KEYS_DATABASE_URL: databaseUrl(),
  ...postgresVariables,
  ...redisVariables,
  TENANTSCOPE_CURSOR_SECRETS: secret(
    commaList().refine(
      (secrets) => secrets.length > 0 && secrets.every(({ length }) => length >= 32),
      'each secret needs at least 32 characters',
    ),
  ),
  TENANTSCOPE_PUBLIC_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  TENANTSCOPE_HOST: z.string().default('127.0.0.1'),
  TENANTSCOPE_PORT: port(8080),
  TENANTSCOPE_HEALTH_PORT: port(9080),
  TENANTSCOPE_TRUSTED_PROXIES: commaList().default([]),
  TENANTSCOPE_MCP_ORIGINS: commaList().default([]),
  TENANTSCOPE_SIGNING_KEY: secret(z.string().optional()),
  TENANTSCOPE_SIGNING_KEY_ID: z.string().optional(),
  TENANTSCOPE_RETIRED_KEYS: z.string().optional(),
  TENANTSCOPE_READ_CONCURRENCY: count(16),
  TENANTSCOPE_DOCUMENT_CONCURRENCY: count(6),
  TENANTSCOPE_DOCUMENTS_PER_TENANT: count(2),
  TENANTSCOPE_DOCUMENTS_PER_ORGANIZATION: count(4),
  TENANTSCOPE_DOCUMENT_QUEUE_MS: z.coerce.number().int().min(0).max(30_000).default(5_000),
  TENANTSCOPE_CONTENDED_SHARE: z.coerce.number().min(0.01).max(1).default(0.25),
  TENANTSCOPE_STATUS_MAX_AGE_SECONDS: z.coerce.number().int().min(0).max(3_600).default(60),
  TENANTSCOPE_STATUS_CACHE_MIB: count(32),
  TENANTSCOPE_DRAIN_MS: z.coerce.number().int().min(0).max(60_000).default(2_000),
  TENANTSCOPE_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export type ApiConfig = z.infer<typeof apiConfig>;

function count(preset: number) {
  return z.coerce.number().int().min(1).max(1_000).default(preset);
}

function port(preset: number) {
  return z.coerce.number().int().min(0).max(65_535).default(preset);
}

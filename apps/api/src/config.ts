import { z } from 'zod';

/**
 * What the api reads from its environment.
 *
 * TENANTSCOPE_API_DATABASE_URL       read models, as the login that may only SELECT
 * TENANTSCOPE_STANDBY_DATABASE_URLS  standbys that may be promoted, comma list; none by default
 * TENANTSCOPE_KEYS_DATABASE_URL      control schema, as the login that may only call two functions
 * TENANTSCOPE_REDIS_URL              counts requests for all instances together
 * TENANTSCOPE_CURSOR_SECRETS         comma list, each at least 32 characters; the first signs, all verify
 * TENANTSCOPE_PUBLIC_URL             base address as callers know it, for links; ends in /api/v1
 * TENANTSCOPE_HOST, TENANTSCOPE_PORT where to listen: 127.0.0.1 and 8080
 * TENANTSCOPE_HEALTH_PORT            /livez, /readyz, /metrics: 9080
 * TENANTSCOPE_TRUSTED_PROXIES        comma list of addresses or networks whose X-Forwarded-For is believed; none by default
 * TENANTSCOPE_MCP_ORIGINS            comma list of origins whose pages may call the tool endpoint; none by default
 * TENANTSCOPE_SIGNING_KEY            signs evidence packs: a private Ed25519 JWK or PKCS #8 PEM, or the file that holds it; none by default
 * TENANTSCOPE_SIGNING_KEY_ID         its kid, where the JWK names none; its thumbprint by default
 * TENANTSCOPE_RETIRED_KEYS           public keys that signed before and are still published: a JWKS, or the file that holds it
 * TENANTSCOPE_DRAIN_MS               how long to go on serving after SIGTERM, until balancers have noticed: 2000
 * TENANTSCOPE_LOG_LEVEL              info
 */
export const apiConfig = z.object({
  TENANTSCOPE_API_DATABASE_URL: z.url(),
  TENANTSCOPE_STANDBY_DATABASE_URLS: commaList().default([]),
  TENANTSCOPE_KEYS_DATABASE_URL: z.url(),
  TENANTSCOPE_REDIS_URL: z.url(),
  TENANTSCOPE_CURSOR_SECRETS: commaList().refine(
    (secrets) => secrets.length > 0 && secrets.every((secret) => secret.length >= 32),
    'each secret needs at least 32 characters',
  ),
  TENANTSCOPE_PUBLIC_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  TENANTSCOPE_HOST: z.string().default('127.0.0.1'),
  TENANTSCOPE_PORT: port(8080),
  TENANTSCOPE_HEALTH_PORT: port(9080),
  TENANTSCOPE_TRUSTED_PROXIES: commaList().default([]),
  TENANTSCOPE_MCP_ORIGINS: commaList().default([]),
  TENANTSCOPE_SIGNING_KEY: z.string().optional(),
  TENANTSCOPE_SIGNING_KEY_ID: z.string().optional(),
  TENANTSCOPE_RETIRED_KEYS: z.string().optional(),
  TENANTSCOPE_DRAIN_MS: z.coerce.number().int().min(0).max(60_000).default(2_000),
  TENANTSCOPE_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export type ApiConfig = z.infer<typeof apiConfig>;

function commaList() {
  return z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
}

function port(preset: number) {
  return z.coerce.number().int().min(0).max(65_535).default(preset);
}

import {
  commaList,
  databaseUrl,
  databaseUrlList,
  drainVariable,
  port,
  postgresVariables,
  processVariables,
  redisVariables,
  secret,
  servedCellVariables,
  traceVariables,
  variable,
} from '@tenantscope/runtime';
import { z } from 'zod';

/** The environment variables of the API. */
export const apiConfig = z.object({
  TENANTSCOPE_API_DATABASE_URL: databaseUrl('Read models, login tenantscope_api.'),
  TENANTSCOPE_STANDBY_DATABASE_URLS: databaseUrlList('Comma list of standbys that may be promoted, same login.'),
  TENANTSCOPE_STANDBY_NAMES: variable(
    'Comma list of the names of these standbys in synchronous_standby_names, in the same order: only those that commits wait for bound pages. By default all of them do.',
    commaList().default([]),
  ),
  TENANTSCOPE_POSTGRES_READ_URLS: databaseUrlList(
    'Comma list of standbys that requests are read from, same login. By default they are read from the primary.',
  ),
  TENANTSCOPE_KEYS_DATABASE_URL: databaseUrl('Control database, login tenantscope_keys.'),
  ...servedCellVariables,
  ...postgresVariables,
  ...redisVariables,
  TENANTSCOPE_CURSOR_SECRETS: secret(
    'Comma list of secrets of at least 32 characters. The first signs cursors, all of them verify.',
    commaList().refine(
      (secrets) => secrets.length > 0 && secrets.every(({ length }) => length >= 32),
      'each secret needs at least 32 characters',
    ),
  ),
  TENANTSCOPE_PUBLIC_URL: variable(
    'Base URL of the API for its clients, used in links. It ends in /api/v1.',
    z.url().transform((url) => url.replace(/\/+$/, '')),
  ),
  TENANTSCOPE_PORT: port('Port of REST and MCP.', 8080),
  TENANTSCOPE_HEALTH_PORT: port('Port of /livez, /readyz and /metrics.', 9080),
  TENANTSCOPE_TRUSTED_PROXIES: variable(
    'Comma list of addresses or networks whose X-Forwarded-For is trusted.',
    commaList().default([]),
  ),
  TENANTSCOPE_MCP_ORIGINS: variable(
    'Comma list of origins whose pages may call the MCP endpoint.',
    commaList().default([]),
  ),
  TENANTSCOPE_SIGNING_KEY: secret(
    'Private Ed25519 key that signs evidence packs: JWK or PKCS #8 PEM. By default packs are not signed.',
    z.string().optional(),
  ),
  TENANTSCOPE_SIGNING_KEY_ID: variable(
    'Id of that key if the JWK has no kid. By default its thumbprint.',
    z.string().optional(),
  ),
  TENANTSCOPE_RETIRED_KEYS: variable(
    'Former public keys that are still published: a JWKS, or the path of a file with it.',
    z.string().optional(),
  ),
  TENANTSCOPE_READ_CONCURRENCY: count('Pages and records read at once by this process, on as many connections.', 16),
  TENANTSCOPE_DOCUMENT_CONCURRENCY: count(
    'Compliance documents, reports and packs read at once by this process, on connections of their own.',
    6,
  ),
  TENANTSCOPE_DOCUMENTS_PER_TENANT: count('Of these documents, those of one tenant.', 2),
  TENANTSCOPE_DOCUMENTS_PER_ORGANIZATION: count('Of these documents, those of one organization.', 4),
  TENANTSCOPE_DOCUMENT_QUEUE_MS: variable(
    'Milliseconds that a document waits for its turn before it is refused with 429.',
    z.coerce.number().int().min(0).max(30_000).default(5_000),
  ),
  TENANTSCOPE_CONTENDED_SHARE: variable(
    'Share of its time budgets that a key or tenant has while tenants delay each other; 1 disables this.',
    z.coerce.number().min(0.01).max(1).default(0.25),
  ),
  TENANTSCOPE_STATUS_MAX_AGE_SECONDS: variable(
    'Seconds for which a compliance status is returned again while its facts are unchanged; 0 disables this.',
    z.coerce.number().int().min(0).max(3_600).default(60),
  ),
  TENANTSCOPE_STATUS_CACHE_MIB: count('Memory for these, in MiB. A status takes about 0.3 MiB.', 32),
  TENANTSCOPE_ACCESS_LOG: variable(
    'on: each request is a line of the log, with key, tenant, operation, status, address and user agent (docs/operations/access-log.md).',
    z.enum(['on', 'off']).default('off'),
  ),
  ...drainVariable,
  ...traceVariables,
  ...processVariables,
});

export type ApiConfig = z.infer<typeof apiConfig>;

function count(description: string, preset: number) {
  return variable(description, z.coerce.number().int().min(1).max(1_000).default(preset));
}

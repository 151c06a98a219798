import type { DatabaseUrls } from '../provision.ts';
import type { Addresses } from '../services.ts';
import type { EnvironmentVariables } from './application.ts';

export interface EnvironmentOptions {
  services: Addresses;
  urls: DatabaseUrls;
  port: number;
  consolePort: number;
  cursorSecret: string;
  signingKey: string;
}

/** The variables of all processes. Other variables of the caller's environment are passed on too. */
export function createEnvironment({
  services,
  urls,
  port,
  consolePort,
  cursorSecret,
  signingKey,
}: EnvironmentOptions): EnvironmentVariables {
  return {
    TENANTSCOPE_OWNER_DATABASE_URL: urls.owner,
    TENANTSCOPE_API_DATABASE_URL: urls.roles.api,
    TENANTSCOPE_KEYS_DATABASE_URL: urls.roles.keys,
    TENANTSCOPE_INGEST_DATABASE_URL: urls.roles.ingest,
    TENANTSCOPE_INGEST_CONTROL_DATABASE_URL: urls.roles.ingest,
    TENANTSCOPE_ADMIN_DATABASE_URL: urls.roles.admin,
    TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: urls.roles.admin,
    TENANTSCOPE_JOBS_DATABASE_URL: urls.roles.jobs,
    TENANTSCOPE_JOBS_CONTROL_DATABASE_URL: urls.roles.jobs,
    TENANTSCOPE_KAFKA_BROKERS: services.kafka,
    TENANTSCOPE_TOPIC_PREFIX: process.env.TENANTSCOPE_TOPIC_PREFIX || 'tenantscope',
    TENANTSCOPE_REDIS_URL: services.redis,
    TENANTSCOPE_CURSOR_SECRETS: cursorSecret,
    TENANTSCOPE_SIGNING_KEY: process.env.TENANTSCOPE_SIGNING_KEY || signingKey,
    TENANTSCOPE_RETIRED_KEYS: process.env.TENANTSCOPE_RETIRED_KEYS ?? '',
    TENANTSCOPE_PUBLIC_URL: `http://127.0.0.1:${port}/api/v1`,
    TENANTSCOPE_HOST: '127.0.0.1',
    TENANTSCOPE_PORT: String(port),
    // A name, since browsers create no passkeys for an IP address. The console listens on every address of it.
    TENANTSCOPE_CONSOLE_URL: `http://localhost:${consolePort}`,
    TENANTSCOPE_CONSOLE_PORT: String(consolePort),
    TENANTSCOPE_TRUSTED_PROXIES: process.env.TENANTSCOPE_TRUSTED_PROXIES ?? '',
    TENANTSCOPE_MCP_ORIGINS: process.env.TENANTSCOPE_MCP_ORIGINS ?? '',
    TENANTSCOPE_LOG_LEVEL: process.env.TENANTSCOPE_LOG_LEVEL || 'info',
    // No load balancer has to be notified first: Ctrl-C stops at once.
    TENANTSCOPE_DRAIN_MS: '0',
  };
}

import type { DatabaseUrls } from '../provision.ts';
import type { Addresses } from '../services.ts';
import { selectVariables } from '../system-environment.ts';
import type { EnvironmentVariables } from './application.ts';
import { listDeclaredVariables } from './process-environment.ts';

export interface EnvironmentOptions {
  services: Addresses;
  urls: DatabaseUrls;
  port: number;
  consolePort: number;
  cursorSecret: string;
  signingKey: string;
  consoleSecret: string;
}

/** The variables of all processes: those of the caller's environment that a process declares, and those of this installation, which have precedence. */
export function createEnvironment({
  services,
  urls,
  port,
  consolePort,
  cursorSecret,
  signingKey,
  consoleSecret,
}: EnvironmentOptions): EnvironmentVariables {
  const given = selectVariables(process.env, listDeclaredVariables(process.env));
  const isGiven = (name: string) => name in given || `${name}_FILE` in given;
  const installation: EnvironmentVariables = {
    TENANTSCOPE_OWNER_DATABASE_URL: urls.owner,
    TENANTSCOPE_API_DATABASE_URL: urls.roles.api,
    TENANTSCOPE_KEYS_DATABASE_URL: urls.roles.keys,
    TENANTSCOPE_INGEST_DATABASE_URL: urls.roles.ingest,
    TENANTSCOPE_INGEST_CONTROL_DATABASE_URL: urls.roles.ingest,
    TENANTSCOPE_ADMIN_DATABASE_URL: urls.roles.admin,
    TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: urls.roles.admin,
    TENANTSCOPE_CONSOLE_DATABASE_URL: urls.roles.console,
    TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL: urls.roles.console,
    TENANTSCOPE_JOBS_DATABASE_URL: urls.roles.jobs,
    TENANTSCOPE_JOBS_CONTROL_DATABASE_URL: urls.roles.jobs,
    TENANTSCOPE_COLLECT_DATABASE_URL: urls.roles.collect,
    TENANTSCOPE_KAFKA_BROKERS: services.kafka,
    TENANTSCOPE_REDIS_URL: services.redis,
    TENANTSCOPE_CURSOR_SECRETS: cursorSecret,
    TENANTSCOPE_PUBLIC_URL: `http://127.0.0.1:${port}/api/v1`,
    TENANTSCOPE_HOST: '127.0.0.1',
    TENANTSCOPE_PORT: String(port),
    // A name, since browsers create no passkeys for an IP address. The console listens on every address of it.
    TENANTSCOPE_CONSOLE_URL: `http://localhost:${consolePort}`,
    TENANTSCOPE_CONSOLE_PORT: String(consolePort),
    // No load balancer has to be notified first: Ctrl-C stops at once.
    TENANTSCOPE_DRAIN_MS: '0',
  };
  const presets: EnvironmentVariables = {
    TENANTSCOPE_TOPIC_PREFIX: 'tenantscope',
    TENANTSCOPE_SIGNING_KEY: signingKey,
    TENANTSCOPE_CONSOLE_SECRET: consoleSecret,
    TENANTSCOPE_LOG_LEVEL: 'info',
  };
  // A file of a secret that the installation sets would contradict it.
  for (const name of Object.keys(installation)) delete given[`${name}_FILE`];
  return {
    ...selectVariables(
      presets,
      Object.keys(presets).filter((name) => !isGiven(name)),
    ),
    ...given,
    ...installation,
  };
}

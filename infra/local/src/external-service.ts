import type { RunningService, ServiceName } from './service.ts';

const variables = {
  kafka: 'TENANTSCOPE_KAFKA_BROKERS',
  postgres: 'TENANTSCOPE_POSTGRES_URL',
  redis: 'TENANTSCOPE_REDIS_URL',
} as const satisfies Record<ServiceName, string>;

/** The external service that the environment names instead of a local one, or null. It is used and never started or stopped. */
export function findExternalService(name: ServiceName): RunningService | null {
  const variable = variables[name];
  const address = process.env[variable];
  if (!address) return null;
  const refuse = () => {
    throw new Error(`${name} is set by ${variable}: an external service is never stopped`);
  };
  return {
    name,
    address,
    pid: null,
    logFile: '/dev/null',
    ended: () => new Promise(() => undefined),
    stop: async () => undefined,
    restart: async () => refuse(),
    kill: async () => refuse(),
    pause: refuse,
    resume: refuse,
  };
}

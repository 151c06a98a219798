import type { RunningService, ServiceName } from './service.ts';

const variables = {
  kafka: 'TENANTSCOPE_KAFKA_BROKERS',
  postgres: 'TENANTSCOPE_POSTGRES_URL',
  redis: 'TENANTSCOPE_REDIS_URL',
} as const satisfies Record<ServiceName, string>;

/** The service of one's own that the environment names in place of ours, or null. It is used and never touched. */
export function ownService(name: ServiceName): RunningService | null {
  const variable = variables[name];
  const address = process.env[variable];
  if (!address) return null;
  const refuse = () => {
    throw new Error(`${name} is given by ${variable} and not ours to stop`);
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

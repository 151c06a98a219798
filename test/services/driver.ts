import { startTemporaryServices } from '@tenantscope/local';
import { containerServices } from './containers.ts';
import type { Services } from './test-services.ts';

/**
 * Starts the services that TENANTSCOPE_TEST_SERVICES selects: `processes` (the default; a URL in the environment
 * replaces any of them), `containers`, or `external`, which starts nothing and needs all three URLs.
 *
 * @param postgresBinaries the directory of PostgreSQL's programs; only for `processes`
 */
export async function startTestServices(postgresBinaries?: string): Promise<Services> {
  const driver = process.env.TENANTSCOPE_TEST_SERVICES ?? 'processes';
  switch (driver) {
    case 'processes':
      return startTemporaryServices({ postgresBinaries });
    case 'containers':
      return containerServices();
    case 'external':
      return externalServices();
    default:
      throw new Error(`TENANTSCOPE_TEST_SERVICES is ${driver}; it may be processes, containers or external`);
  }
}

function externalServices(): Services {
  return {
    kafka: given('TENANTSCOPE_KAFKA_BROKERS'),
    postgres: given('TENANTSCOPE_POSTGRES_URL'),
    redis: given('TENANTSCOPE_REDIS_URL'),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function given(variable: string): string {
  const address = process.env[variable];
  if (!address) throw new Error(`${variable} is not set, and TENANTSCOPE_TEST_SERVICES=external starts no services`);
  return address;
}

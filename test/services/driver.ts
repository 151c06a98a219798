import { type Addresses, temporaryServices } from '@tenantscope/local';
import { containerServices } from './containers.ts';

/** Services that a test run stands on, whoever runs them. */
export type Services = Addresses & AsyncDisposable;

/**
 * Starts what TENANTSCOPE_TEST_SERVICES names: `processes` (the default; a URL in the environment takes the place of any of them),
 * `containers`, or `external`, which starts nothing and wants all three URLs.
 */
export async function startTestServices(): Promise<Services> {
  const driver = process.env.TENANTSCOPE_TEST_SERVICES ?? 'processes';
  switch (driver) {
    case 'processes':
      return temporaryServices();
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
  if (!address)
    throw new Error(`${variable} is not set, and TENANTSCOPE_TEST_SERVICES=external starts nothing by itself`);
  return address;
}

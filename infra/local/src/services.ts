import { join, resolve } from 'node:path';
import { claim, release } from './claim.ts';
import { startKafka } from './kafka.ts';
import { ownService } from './own-service.ts';
import { freePort } from './ports.ts';
import { startPostgres } from './postgres.ts';
import { reachablePlace } from './reachable-place.ts';
import { startRedis } from './redis.ts';
import { type RunningService, type ServiceName, serviceNames } from './service.ts';

/** Where the services answer. Kafka: host:port. PostgreSQL: URL of a role that may create roles and databases. Redis: URL. */
export type Addresses = Record<ServiceName, string>;

export type LocalServices<Name extends ServiceName = ServiceName> = Pick<Addresses, Name> & {
  [Each in Name as `${Each}Service`]: RunningService;
} & AsyncDisposable;

export interface ServicesOptions<Name extends ServiceName> {
  /** Holds data and logs, and belongs to one run at a time. */
  directory: string;
  ports?: 'free' | Partial<Record<ServiceName, number>>;
  only?: readonly Name[];
  /** Contents survive a crash of the machine (the default), not only of the services. */
  durable?: boolean;
}

/**
 * Starts services side by side and resolves when all of them answer. A URL given by environment takes the place of a service; then
 * nothing is started for it. Disposing stops what was started; when this process dies without that, they stop by themselves.
 */
export async function startServices<Name extends ServiceName = ServiceName>(
  options: ServicesOptions<Name>,
): Promise<LocalServices<Name>> {
  const names: readonly ServiceName[] = options.only ?? serviceNames;
  const given = resolve(options.directory);
  const directory = names.includes('postgres') ? await reachablePlace(given) : given;
  await claim(directory);
  const starts = await Promise.allSettled(names.map((name) => startOne(name, directory, options)));
  const running = starts.filter((start) => start.status === 'fulfilled').map((start) => start.value);
  const stop = async () => {
    await Promise.all(running.map((service) => service.stop()));
    await release(directory);
  };
  const failures = starts.filter((start) => start.status === 'rejected').map((start) => start.reason as Error);
  if (failures.length > 0) {
    await stop();
    throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'));
  }
  const members = running.flatMap((service) => [
    [service.name, service.address],
    [`${service.name}Service`, service],
  ]);
  return Object.assign(Object.fromEntries(members), { [Symbol.asyncDispose]: stop });
}

async function startOne(
  name: ServiceName,
  parent: string,
  { ports = 'free', durable = true }: ServicesOptions<ServiceName>,
): Promise<RunningService> {
  const own = ownService(name);
  if (own !== null) return own;
  const directory = join(parent, name);
  const fixed = ports === 'free' ? undefined : ports[name];
  if (fixed !== undefined) return startOn(name, { directory, port: fixed, durable });
  for (let tried = 1; ; tried += 1) {
    try {
      return await startOn(name, { directory, port: await freePort(), durable });
    } catch (cause) {
      // Another run may take a port between the look at it and the service's own.
      if (tried === portsTried || !/address already in use/i.test(String(cause))) throw cause;
    }
  }
}

const portsTried = 3;

function startOn(
  name: ServiceName,
  { directory, port, durable }: { directory: string; port: number; durable: boolean },
): Promise<RunningService> {
  switch (name) {
    case 'kafka':
      return startKafka({ directory, port });
    case 'postgres':
      return startPostgres({ directory, port, durable });
    case 'redis':
      return startRedis({ directory, port, durable });
  }
}

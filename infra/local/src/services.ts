import { join, resolve } from 'node:path';
import type { BrokerSecurity } from './broker-security.ts';
import { resolveDataDirectory } from './data-directory.ts';
import { lockDirectory, unlockDirectory } from './directory-lock.ts';
import { findExternalService } from './external-service.ts';
import { startKafka } from './kafka.ts';
import { findFreePort } from './ports.ts';
import { type ServerCertificate, startPostgres } from './postgres.ts';
import { type RedisOptions, startRedis } from './redis.ts';
import { type RunningService, type ServiceName, serviceNames } from './service.ts';

/** Addresses of the services. Kafka: host:port. PostgreSQL: URL of a role that may create roles and databases. Redis: URL. */
export type Addresses = Record<ServiceName, string>;

export type LocalServices<Name extends ServiceName = ServiceName> = Pick<Addresses, Name> & {
  [Each in Name as `${Each}Service`]: RunningService;
} & AsyncDisposable;

export interface ServicesOptions<Name extends ServiceName> {
  /** For data and logs; used by one run at a time. */
  directory: string;
  ports?: 'free' | Partial<Record<ServiceName, number>>;
  only?: readonly Name[];
  /** Data survive a crash of the machine (the default), not only of the services. */
  durable?: boolean;
  /** The directory of PostgreSQL's programs; found if omitted. */
  postgresBinaries?: string | undefined;
  postgresSettings?: Readonly<Record<string, string>> | undefined;
  security?: ServiceSecurity;
}

/** What the services offer besides plaintext on loopback. */
export interface ServiceSecurity {
  kafka?: BrokerSecurity;
  postgres?: ServerCertificate;
  redis?: NonNullable<RedisOptions['tls']>;
}

/**
 * Starts services in parallel and resolves when all respond. A service whose address is set in the environment is not started.
 * Disposing stops the started ones; if this process dies without that, their guards stop them.
 */
export async function startServices<Name extends ServiceName = ServiceName>(
  options: ServicesOptions<Name>,
): Promise<LocalServices<Name>> {
  const names: readonly ServiceName[] = options.only ?? serviceNames;
  const requested = resolve(options.directory);
  const directory = names.includes('postgres') ? await resolveDataDirectory(requested) : requested;
  await lockDirectory(directory);
  const starts = await Promise.allSettled(names.map((name) => startOne(name, directory, options)));
  const running = starts.filter((start) => start.status === 'fulfilled').map((start) => start.value);
  const stop = async () => {
    await Promise.all(running.map((service) => service.stop()));
    await unlockDirectory(directory);
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
  { ports = 'free', durable = true, security = {}, postgresBinaries, postgresSettings }: ServicesOptions<ServiceName>,
): Promise<RunningService> {
  const external = findExternalService(name);
  if (external !== null) return external;
  const directory = join(parent, name);
  const options = { directory, durable, security, postgresBinaries, postgresSettings };
  const fixed = ports === 'free' ? undefined : ports[name];
  if (fixed !== undefined) return startOn(name, { ...options, port: fixed });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(name, { ...options, port: await findFreePort() });
    } catch (cause) {
      // Another run may take the port between the check and the service's start.
      if (attempt === maxPortAttempts || !/address already in use/i.test(String(cause))) throw cause;
    }
  }
}

const maxPortAttempts = 3;

type StartOptions = Required<Pick<ServicesOptions<ServiceName>, 'directory' | 'durable' | 'security'>> &
  Pick<ServicesOptions<ServiceName>, 'postgresBinaries' | 'postgresSettings'> & { readonly port: number };

function startOn(
  name: ServiceName,
  { directory, port, durable, security, postgresBinaries, postgresSettings }: StartOptions,
): Promise<RunningService> {
  switch (name) {
    case 'kafka':
      return startKafka({ directory, port, ...(security.kafka && { security: security.kafka }) });
    case 'postgres':
      return startPostgres({
        directory,
        port,
        durable,
        binaries: postgresBinaries,
        serverSettings: postgresSettings,
        ...(security.postgres && { certificate: security.postgres }),
      });
    case 'redis':
      return startRedis({ directory, port, durable, ...(security.redis && { tls: security.redis }) });
  }
}

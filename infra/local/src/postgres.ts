import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { createOwnedDirectory } from './data-directory.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { type RunningService, runService } from './service.ts';
import { findUnprivilegedUser, type SystemUser } from './unprivileged-user.ts';

export interface PostgresOptions {
  directory: string;
  port: number;
  /** Contents survive a crash of the machine, not only of the server. */
  durable: boolean;
  /** The directory of its programs; found if omitted. */
  binaries?: string | undefined;
  /** PEM files of the server's certificate and its key: TLS is offered too. */
  certificate?: ServerCertificate;
  /** Of the server, instead of those here. */
  serverSettings?: Readonly<Record<string, string>> | undefined;
}

export interface ServerCertificate {
  certFile: string;
  keyFile: string;
}

/** Starts PostgreSQL on 127.0.0.1 only. Its superuser has a random password, stored in its directory. */
export async function startPostgres({
  directory,
  port,
  durable,
  certificate,
  binaries: chosen,
  serverSettings = {},
}: PostgresOptions): Promise<RunningService> {
  const user = findUnprivilegedUser();
  await createOwnedDirectory(directory, user);
  const binaries = chosen ?? (await findPostgresBinaries(user));
  const data = join(directory, 'data');
  const tls = certificate === undefined ? {} : await installCertificate(directory, user, certificate);
  const password = await superuserPassword(directory, user);
  const address = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  return runService({
    name: 'postgres',
    address,
    port,
    directory: data,
    logFile: join(directory, 'postgres.log'),
    command: [
      join(binaries, 'postgres'),
      '-D',
      data,
      ...Object.entries({ ...settings(port, durable), ...serverSettings, ...tls }).flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ]),
    ],
    executable: 'postgres',
    user,
    // Fast shutdown: ends sessions and closes in order, without waiting for clients to disconnect.
    stopSignal: 'SIGINT',
    async prepare() {
      if (!existsSync(data)) await initialise({ binaries, directory, data, user, durable });
      // No server runs here any more, and the pid of the previous one may belong to another process now.
      await rm(join(data, 'postmaster.pid'), { force: true });
    },
    async probe() {
      const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 1000, query_timeout: 2000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.query('SELECT 1');
      } finally {
        await client.end().catch(() => undefined);
      }
    },
  });
}

/** The server refuses a key that others can read, so it gets copies of its own. */
async function installCertificate(
  directory: string,
  user: SystemUser | null,
  { certFile, keyFile }: ServerCertificate,
) {
  const files = { ssl_cert_file: join(directory, 'server.pem'), ssl_key_file: join(directory, 'server.key') };
  await writeFile(files.ssl_cert_file, await readFile(certFile), { mode: 0o600 });
  await writeFile(files.ssl_key_file, await readFile(keyFile), { mode: 0o600 });
  if (user !== null) for (const file of Object.values(files)) await chown(file, user.uid, user.gid);
  return { ssl: 'on', ...files };
}

function settings(port: number, durable: boolean): Record<string, string | number> {
  return {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    wal_compression: 'pglz',
    log_line_prefix: '%m [%p] %q%u@%d ',
    log_checkpoints: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    fsync: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
  };
}

interface NewCluster {
  binaries: string;
  directory: string;
  data: string;
  user: SystemUser | null;
  durable: boolean;
}

/** Creates the cluster in a temporary directory and renames it: an interrupted initialisation is never mistaken for a cluster. */
async function initialise({ binaries, directory, data, user, durable }: NewCluster): Promise<void> {
  const unfinished = join(directory, 'data.unfinished');
  await rm(unfinished, { recursive: true, force: true });
  const options = ['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions'];
  const files = [`--pwfile=${join(directory, passwordFile)}`, `--pgdata=${unfinished}`];
  const initdb = join(binaries, 'initdb');
  await promisify(execFile)(initdb, [...options, ...files, ...(durable ? [] : ['--no-sync'])], {
    cwd: directory,
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  });
  await rename(unfinished, data);
}

const passwordFile = 'superuser-password';

async function superuserPassword(directory: string, user: SystemUser | null): Promise<string> {
  const file = join(directory, passwordFile);
  if (!existsSync(file)) {
    await writeFile(file, randomBytes(24).toString('base64url'), { mode: 0o600 });
    if (user !== null) await chown(file, user.uid, user.gid);
  }
  return readFile(file, 'utf8');
}

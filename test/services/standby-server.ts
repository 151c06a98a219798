import { execFile } from 'node:child_process';
import { appendFile, chown, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type LocalServices, type RunningService, startServices } from '@tenantscope/local';
import pg from 'pg';

/**
 * Starts a hot standby, with the settings of docs/operations/read-replicas.md, that streams from a server of this run. Its superuser is that of the primary. The data are copied between the start and the stop of
 * a backup: the bundled PostgreSQL has no pg_basebackup.
 */
export async function startStandbyServer(primary: RunningService): Promise<LocalServices<'postgres'>> {
  const directory = join(dirname(dirname(primary.logFile)), 'standby');
  const data = join(directory, 'postgres', 'data');
  await copyServer(primary, join(directory, 'postgres'));
  const { hostname, port, username, password } = new URL(primary.address);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  const settings = {
    primary_conninfo: source,
    hot_standby: 'on',
    hot_standby_feedback: 'on',
    max_standby_streaming_delay: '1s',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  await appendFile(join(data, 'postgresql.auto.conf'), lines.join(''));
  const signal = join(data, 'standby.signal');
  await writeFile(signal, '');
  const { uid, gid } = await stat(data);
  await chown(signal, uid, gid);
  return startServices({ directory, only: ['postgres'], durable: false });
}

/** What is replayed then may conflict with the statement that resumes it. */
export async function resumeReplay(standby: Pick<pg.Client, 'query'>): Promise<void> {
  await standby.query('select pg_wal_replay_resume()').catch((error: { code?: string }) => {
    if (error.code !== '40001') throw error;
  });
}

async function copyServer(primary: RunningService, target: string): Promise<void> {
  const source = dirname(primary.logFile);
  const { uid, gid } = await stat(join(source, 'data'));
  await mkdir(target, { recursive: true, mode: 0o711 });
  await chown(target, uid, gid);
  const client = new pg.Client(primary.address);
  await client.connect();
  try {
    await client.query(`select pg_backup_start('standby', fast => true)`);
    for (const name of ['data', 'superuser-password'])
      await promisify(execFile)('cp', ['--archive', join(source, name), target]);
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(wait_for_archive => false)',
    );
    const label = join(target, 'data', 'backup_label');
    await writeFile(label, rows[0]?.labelfile ?? '');
    await chown(label, uid, gid);
    await rm(join(target, 'data', 'postmaster.pid'), { force: true });
  } finally {
    await client.end();
  }
}

import { appendFile, chown, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type LocalServices, type RunningService, startServices } from '@tenantscope/local';
import type pg from 'pg';
import { copyServer } from './server-backup.ts';

/**
 * Starts a hot standby, with the settings of docs/operations/read-replicas.md, that streams from a server of this run. Its superuser is that of
 * the primary.
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

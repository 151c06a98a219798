import { execFile } from 'node:child_process';
import { appendFile, chown, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { RunningService } from '@tenantscope/local';
import pg from 'pg';

/** Copies a running server to a directory, between the start and the stop of a backup: the bundled PostgreSQL has no pg_basebackup. */
export async function copyServer(server: RunningService, target: string): Promise<void> {
  const source = dirname(server.logFile);
  const { uid, gid } = await stat(join(source, 'data'));
  await mkdir(target, { recursive: true, mode: 0o711 });
  await chown(target, uid, gid);
  const client = new pg.Client(server.address);
  await client.connect();
  try {
    await client.query(`select pg_backup_start('copy', fast => true)`);
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

/** A backup of a server, with the log until its end. */
export interface ServerBackup {
  /** Ends the server without a chance to clean up, and starts what was backed up as a restore does: on a timeline of its own. */
  restore(): Promise<void>;
}

export async function backUpServer(server: RunningService, name: string): Promise<ServerBackup> {
  const directory = dirname(server.logFile);
  const copy = join(dirname(directory), `backup-${name}`);
  await copyServer(server, copy);
  const data = join(directory, 'data');
  // The end of the backup is in the log that was written after the copy.
  await promisify(execFile)('cp', ['--archive', join(data, 'pg_wal'), join(copy, 'data')]);
  return {
    async restore() {
      await server.kill();
      const { uid, gid } = await stat(data);
      await rm(data, { recursive: true });
      await promisify(execFile)('cp', ['--archive', join(copy, 'data'), directory]);
      const settings = { restore_command: 'false', recovery_target_action: 'promote' };
      const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
      await appendFile(join(data, 'postgresql.auto.conf'), lines.join(''));
      const signal = join(data, 'recovery.signal');
      await writeFile(signal, '');
      await chown(signal, uid, gid);
      await server.restart();
    },
  };
}

import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { checkout, findProgram, type RunningService, requireProgram } from '@tenantscope/local';
import pg from 'pg';

const execute = promisify(execFile);
const page = join(checkout, 'docs', 'operations', 'backup.md');

/** A block of the manual, by what follows its language. */
export async function readBackupBlock(name: string): Promise<string> {
  const block = new RegExp(`^ *\`\`\`\\w+ ${name}\\n(.*?)^ *\`\`\``, 'ms').exec(await readFile(page, 'utf8'))?.[1];
  if (block === undefined) throw new Error(`backup.md has no block ${name}`);
  return block;
}

export interface PgBackRest {
  /** Runs the commands of a block of the manual as the user of the server. */
  run(block: string, replaced?: Readonly<Record<string, string>>): Promise<void>;
  /** Ends the server without a chance to clean up, and deletes its data. */
  destroyData(): Promise<void>;
  /** As the standby of a primary that is gone: it is promoted by `pg_promote()`. */
  restartAsStandby(): Promise<void>;
}

/** Sets pgBackRest up for a server as the manual says, with other paths, and restarts the server to archive. */
export async function setUpPgBackRest(server: RunningService): Promise<PgBackRest> {
  const program = await requireProgram(() => findProgram('pgbackrest'), {
    what: 'pgBackRest',
    packages: ['pgbackrest'],
    instead: 'PATH',
  });
  const directory = dirname(server.logFile);
  const data = join(directory, 'data');
  const { uid, gid } = await stat(data);
  const repository = join(directory, 'repository');
  const folders = [repository, join(directory, 'log'), join(directory, 'lock')];
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    await chown(folder, uid, gid);
  }
  const { port, password } = new URL(server.address);
  const [, log, lock] = folders;
  const settings = (await readBackupBlock('pgbackrest'))
    .replace('/var/lib/pgbackrest', repository)
    .replace('/var/lib/postgresql/15/main', `${data}\npg1-port=${port}`)
    .replace('PASSPHRASE', 'a passphrase of the test')
    .replace('[global]', `[global]\nlog-path=${log}\nlock-path=${lock}`);
  const configuration = join(directory, 'pgbackrest.conf');
  await writeFile(configuration, settings);
  const env = { PATH: process.env.PATH, PGHOST: '127.0.0.1', PGUSER: 'postgres', PGPASSWORD: password };
  const run: PgBackRest['run'] = async (block, replaced = {}) => {
    let text = await readBackupBlock(block);
    text = text.replaceAll('pgbackrest ', `${program} --config=${configuration} `);
    for (const [from, to] of Object.entries(replaced)) text = text.replaceAll(from, to);
    await execute('sh', ['-ec', text], { uid, gid, env, cwd: directory });
  };

  const alterSystem = async (changes: readonly string[]) => {
    const client = new pg.Client(server.address);
    await client.connect();
    for (const change of changes) await client.query(`alter system ${change}`);
    await client.end();
  };
  const archive = (await readBackupBlock('postgresql')).replace('pgbackrest ', `${program} --config=${configuration} `);
  await alterSystem([...archive.matchAll(/^(\w+) = (.*)$/gm)].map(([, name, value]) => `set ${name} = ${value}`));
  await server.stop();
  await server.restart();
  await run('pgbackrest-set-up');
  return {
    run,
    async destroyData() {
      await server.kill();
      await rm(data, { recursive: true });
      await mkdir(data, { mode: 0o700 });
      await chown(data, uid, gid);
    },
    async restartAsStandby() {
      // What the restore left.
      await alterSystem(['reset restore_command', 'reset recovery_target_time', 'reset recovery_target_action']);
      await server.stop();
      await writeFile(join(data, 'standby.signal'), '');
      await chown(join(data, 'standby.signal'), uid, gid);
      await server.restart();
    },
  };
}

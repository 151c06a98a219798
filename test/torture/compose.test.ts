import { execFile, spawn } from 'node:child_process';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type BuiltImage, buildImage, readVersion } from '@tenantscope/image';
import { findFreePort, findProgram, requireProgram } from '@tenantscope/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { buildStoreImages } from '../services/containers.ts';
import { findEngine } from '../services/engine.ts';
import { readBackupBlock } from './pgbackrest.ts';

// The installation that docs/operations/docker-compose.md describes, from the image to a row: about ten minutes, most of them for images.

const execute = promisify(execFile);
const isTorture = process.env.TENANTSCOPE_TORTURE === '1';
const buildTimeoutMs = 1_800_000;
const startTimeoutMs = 300_000;
const version = await readVersion();
const image = `tenantscope:${version}`;

describe.runIf(isTorture)('an installation with Docker Compose', { tags: ['torture', 'containers'] }, () => {
  let work: string;
  let installation: string;
  let apiPort: number;
  let built: BuiltImage;
  const docker = async (...args: string[]) => (await execute('docker', args, { maxBuffer: 1 << 26 })).stdout;
  const compose = async (...args: string[]) =>
    (await execute('docker-compose', args, { cwd: installation, maxBuffer: 1 << 26 })).stdout;
  const cli = (...args: string[]) => compose('run', '--rm', '-T', 'cli', ...args);

  beforeAll(async () => {
    for (const [name, packages] of [
      ['dockerd', ['docker.io']],
      ['docker-compose', ['docker-compose']],
    ] as const)
      await requireProgram(() => findProgram(name), { what: name, packages, instead: 'PATH so that it contains it' });
    const engine = await findEngine();
    if ('missing' in engine) throw new Error(engine.missing);
    process.env.DOCKER_HOST = engine.host;
    work = await mkdtemp('/var/tmp/tenantscope-compose-');
    installation = join(work, 'installation');
    await buildStoreImages();
    const output = join(work, 'image.tar');
    built = await buildImage({ tag: image, output, version });
    await docker('load', '--input', output);
    await rm(output);
    await execute('chmod', ['777', work]);
    await docker(
      'run',
      '--rm',
      '--user',
      '4321:4321',
      '--volume',
      `${work}:/output`,
      image,
      'init',
      '--directory',
      '/output/installation',
    );
    apiPort = await findFreePort();
    // The last line of a variable counts.
    const settings = {
      API_PORT: apiPort,
      CONSOLE_PORT: await findFreePort(),
      POSTGRES_IMAGE: 'tenantscope/postgres:15',
      KAFKA_IMAGE: 'tenantscope/kafka:4.1',
      REDIS_IMAGE: 'tenantscope/redis:7',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    await appendFile(join(installation, '.env'), lines.join(''));
    await compose('up', '--detach');
  }, buildTimeoutMs);

  afterAll(async () => {
    if (installation) await compose('down', '--volumes').catch(() => {});
    if (work) await rm(work, { recursive: true, force: true });
  }, startTimeoutMs);

  test('every container becomes healthy and the one-shot ones succeed', { timeout: startTimeoutMs }, async () => {
    const list = async () => {
      const ids = (await compose('ps', '--quiet')).trim().split('\n');
      const states = JSON.parse(await docker('inspect', ...ids)) as {
        Name: string;
        State: { Status: string; ExitCode: number; Health?: { Status: string } };
      }[];
      return states.map(
        ({ Name, State }) => [Name, State.Health?.Status ?? `${State.Status} ${State.ExitCode}`] as const,
      );
    };
    const isReady = ([, state]: readonly [string, string]) => state === 'healthy' || state === 'exited 0';
    await eventually('healthy containers', startTimeoutMs, async () => (await list()).every(isReady));
    expect((await list()).length).toBe(9);
  });

  test('an imported record is polled with a key', { timeout: startTimeoutMs }, async () => {
    const create = async (...args: string[]) => JSON.parse(await cli(...args, '--json')) as Record<string, string>;
    const { id: organization = '' } = await create('org', 'create', '--name', 'Example');
    const { id: tenant = '' } = await create('tenant', 'create', '--name', 'Example Ltd', '--org', organization);
    const { secret = '' } = await create(
      'key',
      'create',
      '--name',
      'siem',
      '--scopes',
      'logs:read',
      '--tenant',
      tenant,
    );
    const record = {
      Workload: 'Exchange',
      Operation: 'New-InboxRule',
      CreationTime: '2026-11-20T10:00:00',
      Id: 'e2a0a7a5-7d0f-4b1e-9f42-6a1d6d1f9b11',
      UserId: 'ada@example.com',
      RecordType: 1,
    };
    const importing = spawn(
      'docker-compose',
      ['run', '--rm', '-T', 'cli', 'import', '--tenant', tenant, '-', '--json'],
      { cwd: installation, stdio: ['pipe', 'pipe', 'inherit'] },
    );
    importing.stdin.end(`${JSON.stringify(record)}\n`);
    const result = JSON.parse((await importing.stdout.setEncoding('utf8').toArray()).join(''));
    expect(result).toMatchObject({ rows: 1 });
    const read = async () => {
      const response = await fetch(`http://127.0.0.1:${apiPort}/api/v1/logs`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      expect(response.status).toBe(200);
      return ((await response.json()) as { data: { action: string }[] }).data;
    };
    await eventually('the row', 60_000, async () => (await read()).length === 1);
    expect(await read()).toMatchObject([{ action: 'New-InboxRule' }]);
  });

  test('two builds of a commit are the same image', { timeout: buildTimeoutMs }, async () => {
    const output = join(work, 'again.tar');
    expect(await buildImage({ tag: image, output, version })).toEqual(built);
    expect((await docker('image', 'inspect', '--format', '{{.Id}}', image)).trim()).toBe(built.id);
    await rm(output);
  });

  test('the image has no shell, no root and no writable file', async () => {
    await expect(docker('run', '--rm', '--entrypoint', '/bin/sh', image)).rejects.toThrow(/no such file/);
    const script = `try { require('fs').writeFileSync('/app/x', '') } catch (error) { console.log(process.getuid(), error.code) }`;
    expect(await docker('run', '--rm', '--read-only', '--entrypoint', '/usr/bin/node', image, '-e', script)).toBe(
      '65532 EROFS\n',
    );
    expect(await docker('run', '--rm', '--entrypoint', '/usr/bin/node', image, '-e', script)).toBe('65532 EACCES\n');
  });

  test('only the API and the console are on a network with a route to other hosts', async () => {
    const networks = JSON.parse(await docker('network', 'inspect', 'tenantscope_stores', 'tenantscope_published')) as {
      Internal: boolean;
      Containers: Record<string, { Name: string }>;
    }[];
    const [stores, published] = networks.map(({ Internal, Containers }) => ({
      Internal,
      names: Object.values(Containers)
        .map(({ Name }) => Name.replace(/^tenantscope[_-](\w+)[_-]1$/, '$1'))
        .sort(),
    }));
    expect(stores).toEqual({
      Internal: true,
      names: ['api', 'console', 'ingest', 'jobs', 'kafka', 'postgres', 'redis'],
    });
    expect(published).toEqual({ Internal: false, names: ['api', 'console'] });
  });

  test('stores refuse connections without TLS', async () => {
    const run = (script: string) => compose('exec', '-T', 'ingest', '/usr/bin/node', '-e', script);
    const postgres = `const pg = require('/app/node_modules/pg'); new pg.Client('postgres://tenantscope_api:x@postgres:5432/tenantscope').connect().catch((error) => console.log(error.message))`;
    expect(await run(postgres)).toContain('no encryption');
    const redis = `const socket = require('net').connect(6379, 'redis', () => socket.write('PING\\r\\n')); socket.on('data', (data) => console.log('data', data)).on('error', () => {}).on('close', () => console.log('closed'))`;
    expect(await run(redis)).toBe('closed\n');
  });

  test('the commands of the manual back PostgreSQL up, and restore it to a time', {
    timeout: buildTimeoutMs,
  }, async () => {
    const script = (text: string) =>
      execute('bash', ['-euo', 'pipefail', '-c', text.replaceAll('docker compose', 'docker-compose')], {
        cwd: installation,
      }).then(({ stdout }) => stdout.trim());
    const runBlock = async (name: string, replaced: Readonly<Record<string, string>> = {}) => {
      let text = await readBackupBlock(name);
      for (const [from, to] of Object.entries(replaced)) text = text.replaceAll(from, to);
      return script(text);
    };
    const query = async (statement: string) =>
      script(
        `docker compose exec -T postgres sh -c 'PGPASSWORD=$(cat /run/secrets/postgres_password) psql --username=postgres --tuples-only --no-align tenantscope' <<'END'\n${statement};\nEND`,
      );
    const readStatus = async (secret: string) =>
      (await fetch(`http://127.0.0.1:${apiPort}/api/v1/logs`, { headers: { authorization: `Bearer ${secret}` } }))
        .status;
    const { data: tenants } = JSON.parse(await cli('tenant', 'list', '--json')) as { data: { id: string }[] };
    const createKey = async (name: string) =>
      JSON.parse(
        await cli('key', 'create', '--name', name, '--scopes', 'logs:read', '--tenant', tenants[0]?.id ?? '', '--json'),
      ) as { id: string; secret: string };

    await runBlock('compose-folder');
    // As root.
    await script('chown --recursive --reference=data/postgres backup');
    await writeFile(join(installation, 'compose.override.yml'), await readBackupBlock('compose-override'));
    await runBlock('compose-hba');
    await runBlock('compose-archive');
    await eventually('PostgreSQL', startTimeoutMs, async () => (await query('select 1').catch(() => '')) === '1');
    const [revoked, stays] = [await createKey('revoked'), await createKey('stays')];
    await runBlock('compose-backup');
    const time = await query('select clock_timestamp()');
    await cli('key', 'revoke', revoked.id);
    const created = await createKey('created');
    await eventually(
      'the ledger is published',
      startTimeoutMs,
      async () => (await query('select count(*) from control.ledger_entry where topic_offset is null')) === '0',
    );
    const last = await query('select pg_walfile_name(pg_current_wal_lsn())');
    await query('select pg_switch_wal()');
    await eventually(
      'the log is archived',
      startTimeoutMs,
      async () => (await query(`select last_archived_wal >= '${last}' from pg_stat_archiver`)) === 't',
    );

    const base = await script('ls backup/postgres | grep base-');
    await runBlock('compose-restore', { BASE: base, TIME: time });
    await script('chown --recursive --reference=backup/postgres data/postgres/cluster');
    await eventually(
      'the server is promoted',
      startTimeoutMs,
      async () => (await runBlock('compose-start').catch(() => '')).at(-1) === 'f',
    );
    expect(await query(`select revoked_at is null from control.api_key where id = '${revoked.id}'`)).toBe('t');
    await runBlock('compose-finish');
    await eventually(
      'the API serves',
      startTimeoutMs,
      async () => (await readStatus(stays.secret).catch(() => 0)) === 200,
    );
    expect(await Promise.all([revoked, stays, created].map(({ secret }) => readStatus(secret)))).toEqual([
      401, 200, 200,
    ]);
  });

  test('a further cell is added, and a tenant moves to it with its rows', { timeout: buildTimeoutMs }, async () => {
    const { data: organizations } = JSON.parse(await cli('org', 'list', '--json')) as { data: { id: string }[] };
    const { data: tenants } = JSON.parse(await cli('tenant', 'list', '--json')) as { data: { id: string }[] };
    const [tenant = '', organization = ''] = [tenants[0]?.id, organizations[0]?.id];
    const { secret } = JSON.parse(
      await cli('key', 'create', '--name', 'cell', '--scopes', 'logs:read', '--org', organization, '--json'),
    ) as { secret: string };
    const readActions = async () => {
      const response = await fetch(`http://127.0.0.1:${apiPort}/api/v1/logs`, {
        headers: { authorization: `Bearer ${secret}`, 'x-tenant-id': tenant },
      });
      const { data } = (await response.json()) as { data?: { action: string }[] };
      return data?.map(({ action }) => action) ?? null;
    };
    const initCell = () =>
      docker(
        ...['run', '--rm', '--user', '4321:4321', '--volume', `${installation}:/installation`, image],
        ...['cell', 'init', 'eu1', '--directory', '/installation', '--topic-prefix', 'tenantscope.eu1'],
      );
    await initCell();
    await compose('up', '--detach');
    await eventually('the cell runs', startTimeoutMs, async () => {
      const { data } = JSON.parse(await cli('cell', 'list', '--json')) as {
        data: { name: string; hasOpenEpoch: boolean | null; completeThrough: string | null }[];
      };
      const cell = data.find(({ name }) => name === 'eu1');
      return cell?.hasOpenEpoch === true && cell.completeThrough !== null;
    });
    await eventually('the rows', startTimeoutMs, async () => (await readActions())?.[0] === 'New-InboxRule');
    const operate = (...args: string[]) => compose('run', '--rm', '-T', '--no-deps', 'migrate', ...args);
    await operate('tenant', 'move', '--tenant', tenant, '--cell', 'eu1', '--yes');
    await eventually('the rows of the other cell', startTimeoutMs, async () => (await readActions())?.length === 1);
    expect(await readActions()).toEqual(['New-InboxRule']);
    expect(JSON.parse(await cli('tenant', 'list', '--json')).data[0]).toMatchObject({ id: tenant, cell: 'eu1' });
    // No container has the secrets of a process of another cell.
    const mounts = async (service: string) =>
      compose('exec', '-T', service, '/usr/bin/node', '-p', `fs.readdirSync('/run/secrets').join()`);
    expect(await mounts('ingest')).not.toContain('eu1');
    expect(await mounts('ingest-eu1')).toContain('database_ingest_eu1_url');
    expect(await mounts('ingest-eu1')).not.toContain('jobs');
    // The logins have one password in all cells, but no other cell reaches this database.
    const resolve = (service: string) =>
      compose(
        ...['exec', '-T', service, '/usr/bin/node', '-e'],
        `require('dns').lookup('postgres-eu1', (error) => console.log(error?.code ?? 'found'))`,
      );
    expect(await resolve('ingest-eu1')).toBe('found\n');
    expect(await resolve('ingest')).not.toBe('found\n');
    // What a store refuses is a warning, after which the process is ready.
    for (const service of ['ingest-eu1', 'jobs-eu1'])
      expect(await compose('logs', '--no-color', service)).not.toMatch(/NOPERM|AUTHORIZATION_FAILED/);
    // The second call finds everything as it is.
    expect(await initCell()).toContain('Cell eu1 written');
    expect(await compose('up', '--detach')).not.toContain('Recreating');
  });

  test('processes continue after a restart of every container', { timeout: startTimeoutMs }, async () => {
    await compose('restart');
    await eventually('the API', startTimeoutMs, async () => {
      await sleep(1_000);
      const response = await fetch(`http://127.0.0.1:${apiPort}/api/v1/ping`).catch(() => null);
      return response?.status === 401;
    });
    expect(await cli('org', 'list', '--json')).toContain('Example');
  });
});

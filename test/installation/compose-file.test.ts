// @module-tag compose
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mayBuildPrograms, provideGoPrograms } from '../chart/go-programs.ts';
import { run } from '../cli/command-line.ts';

// The files of `tenantscope init`, read by the loader of Docker Compose: its schema and merged parts.

const execute = promisify(execFile);
const provided = await provideGoPrograms(
  {
    name: 'compose-spec',
    pins: '../installation/compose-spec',
    packages: { 'compose-spec': 'github.com/compose-spec/compose-go/v2/cmd' },
    listLinkerValues: () => [],
    buildTimeoutMs: 600_000,
  },
  { build: mayBuildPrograms },
);
const directory = 'missing' in provided ? null : provided.directory;

interface Service {
  readonly image: string;
  readonly ports?: readonly { readonly host_ip?: string }[];
  readonly secrets?: readonly { readonly source: string }[];
  /** Of parts that were merged: NAME=VALUE. */
  readonly environment?: unknown;
}
interface Project {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
}

/** The loader's program interpolates nothing from .env or the environment, so the test does. */
async function loadProject(installation: string, edit = (text: string) => text): Promise<Project> {
  const settings = parseEnv(await readFile(join(installation, '.env'), 'utf8'));
  const files = (settings.COMPOSE_FILE ?? 'compose.yml').split(':');
  for (const [index, file] of files.entries()) {
    const text = edit(await readFile(join(installation, file), 'utf8')).replace(
      /\$\{(\w+)(?::-([^}]*))?\}/g,
      (_, name: string, preset: string | undefined) => settings[name] || (preset ?? ''),
    );
    await writeFile(join(installation, `interpolated-${index}.yml`), text);
  }
  const args = ['-format', 'json', ...files.keys().map((index) => `interpolated-${index}.yml`)];
  const env = { PATH: process.env.PATH, HOME: installation };
  const { stdout } = await execute(join(directory ?? '', 'compose-spec'), args, { cwd: installation, env });
  return JSON.parse(stdout);
}

const stores = ['--postgres', 'postgres.example.com:5432', '--kafka', 'kafka.example.com:9093'];
const external = [...stores, '--redis', 'redis.example.com:6379'];

describe.skipIf(directory === null).each([
  ['own stores', []],
  ['external stores', external],
] as const)('the Compose file with %s', (_, args) => {
  let parent: string;
  let installation: string;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'tenantscope-compose-'));
    installation = join(parent, 'installation');
    const { status, stderr } = await run(['init', '--directory', installation, ...args]);
    if (status !== 0) throw new Error(stderr);
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));

  test('is valid, and every service has an image and the files of its secrets', async () => {
    const project = await loadProject(installation);
    const processes = ['api', 'ingest', 'jobs', 'console', 'migrate'];
    expect(Object.keys(project.services)).toEqual(expect.arrayContaining(processes));
    for (const [service, { image, secrets = [] }] of Object.entries(project.services)) {
      expect(image, service).toMatch(/^[a-z][\w./-]*:[\w.]+$/);
      for (const { source } of secrets) expect(project.secrets[source], `${service} ${source}`).toBeDefined();
    }
    const used = new Set(
      Object.values(project.services).flatMap(({ secrets = [] }) => secrets.map((each) => each.source)),
    );
    for (const source of used) expect(existsSync(project.secrets[source]?.file ?? ''), source).toBe(true);
  });

  test('has a route to other hosts only where a store is on one', async () => {
    const { networks } = await loadProject(installation);
    expect(networks.stores?.internal ?? false).toBe(args.length === 0);
  });

  test('publishes the API and the console on loopback only', async () => {
    const { services } = await loadProject(installation);
    const published = Object.entries(services).flatMap(([service, { ports = [] }]) =>
      ports.map(({ host_ip }) => `${service} ${host_ip}`),
    );
    expect(published.sort()).toEqual(['api 127.0.0.1', 'console 127.0.0.1']);
  });

  test('has the processes of every cell, and services of several cells have the addresses of all', async () => {
    for (const cell of [['eu1'], ['us-east', '--postgres', 'db.example.com:5432']]) {
      const [name = '', ...server] = cell;
      const prefix = ['--topic-prefix', `tenantscope.${name}`];
      const { status, stderr } = await run(['cell', 'init', name, '--directory', installation, ...prefix, ...server]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    }
    const project = await loadProject(installation);
    for (const cell of ['eu1', 'us-east'])
      for (const process of ['ingest', 'jobs']) {
        const { secrets = [] } = project.services[`${process}-${cell}`] ?? {};
        const sources = secrets.map(({ source }) => source);
        expect(sources).toContain(`database_${process}_${cell}_url`);
        for (const source of sources) expect(existsSync(project.secrets[source]?.file ?? ''), source).toBe(true);
        expect(sources.join()).not.toContain(cell === 'eu1' ? 'us-east' : 'eu1');
      }
    for (const service of ['api', 'console', 'migrate', 'cli'])
      expect(project.services[service]?.environment).toEqual(
        expect.arrayContaining([
          'TENANTSCOPE_CELLS=eu1,us-east',
          'TENANTSCOPE_CELL_EU1_DATABASE=postgres-eu1:5432/tenantscope',
          'TENANTSCOPE_CELL_US_EAST_DATABASE=db.example.com:5432/tenantscope',
        ]),
      );
  });

  test('is refused with a misspelt member', async () => {
    const edit = (text: string) => text.replace('  api:\n', '  api:\n    mem_limits: 1g\n');
    await expect(loadProject(installation, edit)).rejects.toThrow(/services\.api\.mem_limits/);
  });
});

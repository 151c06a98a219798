// @module-tag exhaustive
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { initCell } from '../src/commands/installation/cell/init-cell.ts';
import { initInstallation } from '../src/commands/installation/init.ts';

let directory: string;
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'tenantscope-cell-')), 'installation');
  await initInstallation({ directory, bind: '127.0.0.1', publicUrl: 'http://a/api/v1', consoleUrl: 'http://a' });
});
afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }));

const read = (path: string) => readFile(join(directory, path), 'utf8');
const readSettings = async () => parseEnv(await read('.env'));
const create = (name: string, options: { topicPrefix?: string; postgres?: string } = {}) =>
  initCell(name, { directory, topicPrefix: `tenantscope.${name}`, ...options });

/** Contents by path. */
async function readAll(): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)));
}

test('the logins of a cell have the passwords of the installation and the address of its own server', async () => {
  await create('eu1');
  for (const login of ['ingest', 'jobs']) {
    const [own, first] = [await read(`secrets/database_${login}_eu1_url`), await read(`secrets/database_${login}_url`)];
    expect(own).toBe(first.replace('@postgres:5432/', '@postgres-eu1:5432/'));
    expect(own).not.toBe(first);
  }
  const owner = new URL(await read('secrets/database_owner_url'));
  expect(await read('cells/eu1/initialize.sql')).toContain(`CREATEROLE PASSWORD '${owner.password}'`);
  const superuser = await read('secrets/postgres_eu1_password');
  expect(superuser.length).toBeGreaterThanOrEqual(43);
  expect(superuser).not.toBe(await read('secrets/postgres_password'));
});

test('the server of a cell has a certificate of the installation for its name alone', async () => {
  await create('eu1');
  const authority = new X509Certificate(await read('secrets/ca.pem'));
  const certificate = new X509Certificate(await read('secrets/postgres_eu1.pem'));
  expect(certificate.verify(authority.publicKey)).toBe(true);
  expect(certificate.checkIssued(authority)).toBe(true);
  expect(certificate.checkHost('postgres-eu1')).toBe('postgres-eu1');
  expect(certificate.checkHost('postgres')).toBeUndefined();
  expect(Date.parse(certificate.validTo)).toBeLessThanOrEqual(Date.parse(authority.validTo));
});

test('only the owner can read what is written, and the terminal shows no secret', async () => {
  const before = await readAll();
  const { text } = await create('eu1');
  const added = [...(await readAll())].filter(([file]) => !before.has(file));
  expect(added.length).toBe(7);
  for (const [file, content] of added) {
    expect((await stat(file)).mode & 0o077, file).toBe(0);
    if (file.includes('/secrets/')) expect(text).not.toContain(content);
  }
  expect((await stat(join(directory, 'data', 'postgres-eu1'))).mode & 0o077).toBe(0);
});

test('.env names every cell with its file and the profile of its container', async () => {
  await create('eu1');
  expect(await readSettings()).not.toHaveProperty('STORES_INTERNAL');
  await create('us-east', { postgres: 'db.example.com:6432' });
  expect(await readSettings()).toMatchObject({
    TENANTSCOPE_CELLS: 'eu1,us-east',
    COMPOSE_FILE: 'compose.yml:cells/eu1.yml:cells/us-east.yml',
    COMPOSE_PROFILES: 'postgres,kafka,redis,postgres-eu1',
    STORES_INTERNAL: 'false',
  });
  const compose = await read('cells/us-east.yml');
  for (const line of [
    'TENANTSCOPE_CELL_US_EAST_DATABASE: db.example.com:6432/tenantscope',
    'TENANTSCOPE_CELL_US_EAST_TOPIC_PREFIX: tenantscope.us-east',
    'TENANTSCOPE_CELL: us-east',
  ])
    expect(compose).toContain(`  ${line}\n`);
  expect(compose).not.toContain('__');
  expect(await read('secrets/database_jobs_us-east_url')).toMatch(/@db\.example\.com:6432\/tenantscope$/);
});

test('a second run changes nothing, and one after an interruption writes what is missing', async () => {
  await create('eu1');
  const complete = await readAll();
  await create('eu1');
  expect(await readAll()).toEqual(complete);
  await unlink(join(directory, 'cells', 'eu1.yml'));
  await unlink(join(directory, 'secrets', 'database_jobs_eu1_url'));
  await create('eu1');
  expect(await readAll()).toEqual(complete);
});

test('a replaced password is written into the URL of the cell, in the file that containers have mounted', async () => {
  await create('eu1');
  const path = join(directory, 'secrets', 'database_ingest_eu1_url');
  const { ino } = await stat(path);
  const replaced = (await read('secrets/database_ingest_url')).replace(/:[^:@]+@/, ':replaced@');
  await writeFile(join(directory, 'secrets', 'database_ingest_url'), replaced);
  await create('eu1');
  expect(await read('secrets/database_ingest_eu1_url')).toContain('tenantscope_ingest:replaced@postgres-eu1:5432');
  expect((await stat(path)).ino).toBe(ino);
});

test('a cell with other settings is refused, and nothing is changed', async () => {
  await create('eu1');
  const before = await readAll();
  await expect(create('eu1', { topicPrefix: 'tenantscope.other' })).rejects.toThrow(
    /cells\/eu1\.yml has other settings.*nothing was changed/i,
  );
  await expect(create('eu1', { postgres: 'db.example.com:5432' })).rejects.toThrow(/other settings/);
  await expect(create('eu2', { topicPrefix: 'tenantscope.eu1' })).rejects.toThrow(/tenantscope\.eu1.*the cell eu1/);
  expect(await readAll()).toEqual(before);
});

test.each([
  ['EU1', {}, /a-z, 0-9 and hyphens/],
  ['default', {}, /default/],
  ['eu1', { topicPrefix: 'a b' }, /--topic-prefix/],
  ['eu1', { topicPrefix: 'tenantscope' }, /cell default/],
  ['eu1', { postgres: 'postgres://a:b@c/d' }, /--postgres must be host:port/],
  ['eu1', { postgres: 'postgres:5432' }, /--postgres postgres:5432 is the server of another cell/],
] as const)('%s with %o is refused', async (name, options, message) => {
  await expect(create(name, options)).rejects.toThrow(message);
  expect(await readdir(directory)).not.toContain('cells');
});

test('a directory without an installation is refused', async () => {
  const other = join(directory, '..', 'other');
  await expect(initCell('eu1', { directory: other, topicPrefix: 'a' })).rejects.toThrow(
    /no installation of "tenantscope init".*\.env/,
  );
});

test('an override of the Compose file stays in force', async () => {
  await writeFile(join(directory, 'compose.override.yml'), 'services: {}\n');
  await create('eu1');
  expect(await readSettings()).toMatchObject({ COMPOSE_FILE: 'compose.yml:compose.override.yml:cells/eu1.yml' });
});

test('settings and comments of .env that are not of cells stay as they are', async () => {
  await writeFile(
    join(directory, '.env'),
    `${await read('.env')}# own\nAPI_PORT=1\nCOMPOSE_FILE=compose.yml:own.yml\n`,
  );
  await create('eu1');
  const text = await read('.env');
  expect(text).toContain('# own\nAPI_PORT=1\nCOMPOSE_FILE=compose.yml:own.yml:cells/eu1.yml\n');
});

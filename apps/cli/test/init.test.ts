// @module-tag exhaustive
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseSigningKey } from '@tenantscope/proof';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { initInstallation } from '../src/commands/installation/init.ts';
import type { InitOptions } from '../src/commands/installation/init-options.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'tenantscope-init-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const defaults = {
  bind: '127.0.0.1',
  publicUrl: 'http://localhost:8080/api/v1',
  consoleUrl: 'http://localhost:8090',
} as const;

async function initialize(name: string, options: Partial<InitOptions> = {}) {
  const directory = join(parent, name);
  const result = await initInstallation({ directory, ...defaults, ...options });
  const read = (path: string) => readFile(join(directory, path), 'utf8');
  return { directory, read, text: result.text };
}

async function listFiles(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test('only the owner can read what init writes', async () => {
  const { directory } = await initialize('a');
  const files = await listFiles(directory);
  expect(files.length).toBeGreaterThan(30);
  for (const file of files) expect((await stat(file)).mode & 0o077, file).toBe(0);
  expect((await stat(directory)).mode & 0o077).toBe(0);
});

test('every secret is generated, long and not shared by two installations', async () => {
  const [first, second] = [await initialize('a'), await initialize('b')];
  const read = async ({ directory }: { directory: string }) => {
    const files = (await listFiles(directory)).filter((file) => file.includes('/secrets/'));
    return new Map(
      await Promise.all(
        files.map(async (file) => [file.slice(directory.length), await readFile(file, 'utf8')] as const),
      ),
    );
  };
  const [one, other] = [await read(first), await read(second)];
  expect([...one.keys()].sort()).toEqual([...other.keys()].sort());
  for (const [file, content] of one) {
    expect(content.length, file).toBeGreaterThanOrEqual(43);
    expect(content, file).not.toBe(other.get(file));
  }
  await expect(parseSigningKey(one.get('/secrets/signing_key') ?? '')).resolves.toHaveProperty('kid');
});

test('the operator of Redis reads no data, and the tools of Kafka log in as its superuser', async () => {
  const { read } = await initialize('a');
  const operator = await read('secrets/redis_operator');
  expect(await read('redis/redis.conf')).toContain(
    `user tenantscope-operator on >${operator} resetchannels -@all +acl +client +config +info +ping\n`,
  );
  const tools = await read('kafka/admin.properties');
  expect(tools).toContain(`username="tenantscope-admin" password="${await read('secrets/kafka_admin')}";`);
  expect(JSON.parse(await read('api/retired_keys.json'))).toEqual({ keys: [] });
});

test('the broker gets its users without a password in the arguments of a program', async () => {
  const { directory, read } = await initialize('a');
  const tools = join(parent, 'tools');
  await mkdir(tools);
  const tool = `#!/bin/bash
for argument in "$@"; do
  echo "argument $argument" >> ${parent}/log
  if [[ $argument == @* ]]; then sed 's/^/line /' "\${argument#@}" >> ${parent}/log; stat --format 'mode %a' "\${argument#@}" >> ${parent}/log; fi
done
`;
  for (const name of ['kafka-storage.sh', 'kafka-server-start.sh'])
    await writeFile(join(tools, name), tool, { mode: 0o700 });
  const start = (await read('kafka/start.sh'))
    .replaceAll('/opt/kafka/bin', tools)
    .replaceAll('/tmp/users', join(parent, 'users'))
    .replaceAll('/run/secrets', join(directory, 'secrets'));
  await writeFile(join(parent, 'start.sh'), start);
  await promisify(execFile)('bash', [join(parent, 'start.sh')]);
  const lines = (await readFile(join(parent, 'log'), 'utf8')).split('\n');
  const users = (await read('secrets/kafka_users')).trimEnd().split('\n');
  const ofFile = lines.filter((line) => line.startsWith('line '));
  expect(ofFile).toEqual(
    users.flatMap((user) => {
      const [name, password] = user.split(':');
      return ['line --add-scram', `line SCRAM-SHA-512=[name=${name},password=${password}]`];
    }),
  );
  expect(lines).toContain('mode 600');
  const given = lines.filter((line) => line.startsWith('argument ')).join('\n');
  for (const user of users) expect(given).not.toContain(user.split(':')[1]);
  expect(await readdir(parent)).not.toContain('users');
});

test('the terminal shows no secret', async () => {
  const { directory, text } = await initialize('a');
  for (const file of await listFiles(directory)) {
    if (file.includes('/secrets/')) expect(text).not.toContain(await readFile(file, 'utf8'));
  }
});

test('each store has a certificate of the installation for its name alone', async () => {
  const { read } = await initialize('a');
  const authority = new X509Certificate(await read('secrets/ca.pem'));
  for (const store of ['postgres', 'kafka', 'redis']) {
    const certificate = new X509Certificate(await read(`secrets/${store}.pem`));
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.checkHost(store)).toBe(store);
    expect(certificate.checkHost('example.com')).toBeUndefined();
    expect(certificate.ca).toBe(false);
    expect(Date.parse(certificate.validTo) - Date.now()).toBeGreaterThan(3_000 * 86_400_000);
    expect(await read(`secrets/${store}_ca.pem`)).toBe(await read('secrets/ca.pem'));
  }
});

test('every directory and file that a container mounts exists', async () => {
  const { directory, read } = await initialize('a');
  const mounts = [...(await read('compose.yml')).matchAll(/(\.\/[\w./-]+):\//g)].map(([, mount]) => mount);
  expect(mounts).toContain('./collectors');
  for (const mount of mounts) await expect(stat(join(directory, mount ?? '')), mount).resolves.toBeDefined();
});

test('a directory with files is refused and stays as it was', async () => {
  await writeFile(join(parent, 'secret'), 'kept');
  await expect(initInstallation({ directory: parent, ...defaults })).rejects.toThrow(
    /is not empty \(it contains secret\)/,
  );
  expect(await readdir(parent)).toEqual(['secret']);
});

test('an external store has no container and its address is used', async () => {
  const { read, text } = await initialize('a', { postgres: 'db.example.com:5432', kafka: 'k1:9093,k2:9093' });
  const environment = await read('.env');
  expect(environment).toContain('COMPOSE_PROFILES=redis\n');
  expect(environment).toContain('STORES_INTERNAL=false\n');
  expect(environment).toContain('KAFKA_BROKERS=k1:9093,k2:9093\n');
  expect(await read('secrets/database_api_url')).toMatch(
    /^postgres:\/\/tenantscope_api:[\w-]{43}@db\.example\.com:5432\/tenantscope$/,
  );
  expect(text).toMatch(/db\.example\.com:5432: run postgres\/initialize\.sql/);
  const own = await initialize('b');
  expect(await own.read('.env')).not.toContain('STORES_INTERNAL');
  expect(own).toMatchObject({ text: expect.not.stringContaining('initialize.sql') });
});

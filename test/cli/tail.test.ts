import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '@tenantscope/local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { type ControlledLog, openControlledLog } from '../installation/controlled-log.ts';
import { program, run, start } from './command-line.ts';

let product: ControlledInstallation;
let log: ControlledLog;
let directory: string;

beforeAll(async () => {
  product = await startControlledInstallation();
  log = await openControlledLog(product.database.superuser);
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-tail-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await log?.[Symbol.asyncDispose]();
  await product?.[Symbol.asyncDispose]();
});

async function createKey(owner: { tenantId: string } | { organizationId: string }): Promise<Record<string, string>> {
  const { secret } = await product.admin.keys.create({ name: 'tail', scopes: ['logs:read'], owner, expiresAt: null });
  return { TENANTSCOPE_URL: product.baseUrl, TENANTSCOPE_KEY: secret };
}

/** Writes rows after everything that was settled, and settles them. */
async function write(tenantId: string, count: number, action = 'FileAccessed'): Promise<string[]> {
  const startMs = product.throughMs() + 1;
  const events = Array.from({ length: count }, (_, index) => ({
    action,
    discoveredAt: new Date(startMs + 7 * index).toISOString(),
  }));
  const ids = await log.write(tenantId, events);
  await product.settle(startMs + 7 * count);
  return ids;
}

const idsOf = (output: string): string[] =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { id: string }).id);

test('an address that is no URL of a server is refused at once, and a key of several tenants names the options', async () => {
  const tenantId = await product.createTenant();
  const environment = await createKey({ tenantId });
  for (const url of ['notaurl', 'localhost:8080/api/v1']) {
    const refused = await run(['tail', 'logs', '--once', '--url', url], { environment, directory });
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('--url must begin with http') });
    const variable = { ...environment, TENANTSCOPE_URL: url };
    const misconfigured = await run(['tail', 'logs', '--once'], { environment: variable, directory });
    expect(misconfigured).toMatchObject({ status: 1, stderr: expect.stringContaining('TENANTSCOPE_URL') });
  }
  const late = await run(['tail', 'logs', '--once', '--from', 'yesterday'], { environment, directory });
  expect(late).toMatchObject({ status: 2, stderr: expect.stringContaining('Allowed for discoveredFrom: ISO 8601') });
  const { id: organizationId } = await product.admin.organizations.create({ name: 'Two tenants' });
  const ofOrganization = await createKey({ organizationId });
  const ambiguous = await run(['tail', 'logs', '--once'], { environment: ofOrganization, directory });
  expect(ambiguous).toMatchObject({ status: 2, stderr: expect.stringContaining('--all-tenants') });
});

test('a command that ends writes every row once and continues after the last one', async () => {
  const tenantId = await product.createTenant();
  const environment = await createKey({ tenantId });
  const state = join(directory, 'once.json');
  const tail = (...args: string[]) =>
    run(['tail', 'logs', '--once', '--state', state, ...args], { environment, directory });

  const first = await write(tenantId, 2_345);
  const whole = await tail();
  expect([whole.status, whole.stderr]).toEqual([0, '']);
  expect(idsOf(whole.stdout)).toEqual(first);
  expect(await tail()).toEqual({ status: 0, stdout: '', stderr: '' });
  const later = await write(tenantId, 3);
  expect(idsOf((await tail()).stdout)).toEqual(later);
});

test('the line for cron of the documents writes every row, with a key from a file of variables', async () => {
  const tenantId = await product.createTenant();
  const { TENANTSCOPE_KEY } = await createKey({ tenantId });
  const rows = await write(tenantId, 3);
  const folder = await mkdtemp(join(directory, 'cron-'));
  await writeFile(join(folder, 'tail.env'), `TENANTSCOPE_KEY=${TENANTSCOPE_KEY}\n`);
  await writeFile(join(folder, 'tenantscope'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  });
  const page = await readFile(join(checkout, 'docs', 'siem', 'tail.md'), 'utf8');
  const line = (/^ {4}\*\/5 \* \* \* \* (.+)$/m.exec(page)?.[1] ?? '')
    .replaceAll('detections', 'logs')
    .replace('https://tenantscope.example.com/api/v1', product.baseUrl)
    .replaceAll(/\/(?:etc|var\/lib|var\/log)\/tenantscope\//g, `${folder}/`);
  const env = { PATH: `${folder}:${process.env.PATH}` };
  await promisify(execFile)('/bin/sh', ['-c', line], { cwd: folder, env });
  expect(idsOf(await readFile(join(folder, 'logs.ndjson'), 'utf8'))).toEqual(rows);
});

test('a command whose output has no space left fails, and stores no position of what it has not written', async () => {
  const tenantId = await product.createTenant();
  const environment = await createKey({ tenantId });
  const state = join(directory, 'full.json');
  const rows = await write(tenantId, 3);
  const full = openSync('/dev/full', 'w');
  const args = ['tail', 'logs', '--once', '--state', state];
  const { status, stderr } = await start(args, { environment, directory, output: full }).ran;
  closeSync(full);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^tenantscope: the output cannot be written: ENOSPC/)]);
  expect(idsOf((await run(args, { environment, directory })).stdout)).toEqual(rows);
});

test('rows are those of the filter and the start, and another request needs another file', async () => {
  const tenantId = await product.createTenant();
  const environment = await createKey({ tenantId });
  const state = join(directory, 'filtered.json');
  const tail = (...args: string[]) => run(['tail', 'logs', '--once', ...args], { environment, directory });
  await write(tenantId, 5);
  const deleted = await write(tenantId, 4, 'FileDeleted');
  const all = (await tail()).stdout.split('\n').slice(0, -1);
  const { discoveredAt } = JSON.parse(all[6] ?? '') as { discoveredAt: string };

  expect(idsOf((await tail('--filter', 'action=FileDeleted', '--state', state)).stdout)).toEqual(deleted);
  expect(idsOf((await tail('--from', discoveredAt)).stdout)).toEqual(deleted.slice(1));
  const other = await tail('--state', state);
  expect([other.status, other.stdout]).toEqual([1, '']);
  expect(other.stderr).toContain('another parameters');

  const unknown = await tail('--filter', 'verb=x');
  expect([unknown.status, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('/logs has no filter verb: use severity, action'),
  ]);
  const refused = await tail('--filter', 'severity=loud');
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringMatching(/severity/)]);
  const list = await run(['tail', 'log', '--once'], { environment, directory });
  expect([list.status, list.stderr]).toEqual([2, expect.stringContaining('use one of logs, detections')]);
  expect((await run(['tail', 'detections', '--once'], { environment, directory })).stderr).toContain('detections:read');
});

test('rows of a view are written as its documents, and a view that the list lacks is a usage error', async () => {
  const tenantId = await product.createTenant();
  const environment = await createKey({ tenantId });
  const ids = await write(tenantId, 3);
  const tail = (list: string, view: string) =>
    run(['tail', list, '--once', '--view', view], { environment, directory });

  const { stdout } = await tail('logs', 'ecs');
  const documents = stdout.split('\n').slice(0, -1);
  expect(documents.map((line) => (JSON.parse(line) as { event: { id: string } }).event.id)).toEqual(ids);
  const unknown = await tail('logs', 'cef');
  expect(unknown).toMatchObject({ status: 2, stdout: '' });
  expect(unknown.stderr).toContain('/logs has no view cef: use full, ocsf, ecs');
  const without = await tail('users', 'ecs');
  expect(without).toMatchObject({ status: 2, stdout: '' });
  expect(without.stderr).toContain('/users has no views');
});

test('rows of every tenant of a key are written, also of one that is added later', async () => {
  const organization = await product.admin.organizations.create({ name: 'MSSP' });
  const addTenant = async () =>
    (
      await product.admin.tenants.create({
        name: 'A customer',
        organizationId: organization.id,
        azureTenantId: randomUUID(),
        connectedAt: new Date('2026-01-01T00:00:00Z'),
      })
    ).id;
  const environment = await createKey({ organizationId: organization.id });
  const state = join(directory, 'all.json');
  const tail = () => run(['tail', 'logs', '--all-tenants', '--once', '--state', state], { environment, directory });

  const ids = new Map<string, string[]>();
  for (const count of [30, 0, 1_500]) {
    const tenantId = await addTenant();
    ids.set(tenantId, await write(tenantId, count));
  }
  const { stdout, status } = await tail();
  expect(status).toBe(0);
  const rows = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { id: string; tenantId: string });
  for (const [tenantId, expected] of ids)
    expect(rows.filter((row) => row.tenantId === tenantId).map(({ id }) => id)).toEqual(expected);
  expect(rows).toHaveLength(1_530);

  const added = await addTenant();
  const expected = await write(added, 2);
  expect(idsOf((await tail()).stdout)).toEqual(expected);
  const both = await run(['tail', 'logs', '--all-tenants', '--tenant', added], { environment, directory });
  expect([both.status, both.stderr]).toEqual([2, expect.stringContaining('exclude each other')]);
});

/** A server in front of the API that spoils every third response in turn. */
async function startFaultyServer(): Promise<{ server: Server; url: string; faults: () => number }> {
  let count = 0;
  let faults = 0;
  const target = new URL(product.baseUrl);
  const server = createServer((incoming, response) => {
    if (++count % 3 !== 0) {
      const headers = { ...incoming.headers, host: target.host };
      const forward = sendRequest({ host: target.hostname, port: target.port, path: incoming.url, headers }, (from) => {
        response.writeHead(from.statusCode ?? 502, from.headers);
        from.pipe(response);
      });
      forward.on('error', () => response.destroy());
      forward.end();
      return;
    }
    const kind = faults++ % 4;
    if (kind === 0) response.writeHead(429, { 'retry-after': '0' }).end('{}');
    else if (kind === 1) response.writeHead(500, { 'retry-after': '0' }).end('<html>');
    else if (kind === 2) response.writeHead(200, { 'retry-after': '0' }).end('{"data":[{"id"');
    else response.writeHead(503, { 'retry-after': '0' }).end('');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}${target.pathname}`, faults: () => faults };
}

test('a follower that is killed again and again behind a faulty server writes every row in order', async () => {
  const tenantId = await product.createTenant();
  const { server, url, faults } = await startFaultyServer();
  const environment = { ...(await createKey({ tenantId })), TENANTSCOPE_URL: url };
  const state = join(directory, 'killed.json');
  const output = join(directory, 'killed.ndjson');
  const written: string[] = [];
  const follow = () => {
    const file = openSync(output, 'a');
    const { child, ran } = start(['tail', 'logs', '--state', state, '--interval', '1'], {
      environment,
      directory,
      output: file,
    });
    closeSync(file);
    return { child, ran };
  };
  const received = async () => idsOf(completeLines(await readFile(output, 'utf8')));
  for (let round = 0; round < 5; round++) {
    const { child, ran } = follow();
    written.push(...(await write(tenantId, 1_700)));
    const count = round * 1_700 + 400;
    await expect.poll(async () => new Set(await received()).size, { timeout: 120_000 }).toBeGreaterThan(count);
    child.kill('SIGKILL');
    await ran;
  }
  const { child, ran } = follow();
  // Rows that only this follower can have written: it runs when it is asked to end.
  written.push(...(await write(tenantId, 10)));
  await expect.poll(async () => new Set(await received()).size, { timeout: 120_000 }).toBe(written.length);
  child.kill('SIGTERM');
  expect((await ran).status).toBe(0);
  server.closeAllConnections();
  server.close();

  const all = await received();
  // Repeated pages apart, the order is that of the log, and each kill repeats a page at most.
  expect([...new Set(all)]).toEqual(written);
  expect(all.length - written.length).toBeLessThanOrEqual(5 * 1_000);
  expect(faults()).toBeGreaterThan(5);
});

/** A kill can leave a part of a row, which must not share its line with the next one. */
const completeLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => isJson(line))
    .map((line) => `${line}\n`)
    .join('');

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

test('a row that a kill truncated does not share its line with the next one', async () => {
  const tenantId = await product.createTenant();
  const environment = await createKey({ tenantId });
  const ids = await write(tenantId, 2);
  const output = join(directory, 'truncated.ndjson');
  for (const before of ['{"id":"x","act', '{"id":"x"}\n', '']) {
    await writeFile(output, before);
    const file = openSync(output, 'a');
    await start(['tail', 'logs', '--once'], { environment, directory, output: file }).ran;
    closeSync(file);
    const lines = (await readFile(output, 'utf8'))
      .slice(before.length)
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(ids);
    expect((await readFile(output, 'utf8')).includes('\n\n')).toBe(false);
  }
});

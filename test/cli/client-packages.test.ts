import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout, findProgram, requireProgram } from '@tenantscope/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { type ControlledLog, openControlledLog } from '../installation/controlled-log.ts';
import { isLong } from '../torture/random.ts';

const execute = promisify(execFile);
const rows = 2_100;
const clientApps = ['Word, desktop', 'Outlook, web'];

let product: ControlledInstallation;
let log: ControlledLog;
let directory: string;
let environment: Record<string, string>;
let ids: string[];
let writeLater: () => Promise<string[]>;

beforeAll(async () => {
  product = await startControlledInstallation();
  log = await openControlledLog(product.database.superuser);
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-clients-'));
  const tenantId = await product.createTenant();
  const { secret } = await product.admin.keys.create({
    name: 'client',
    scopes: ['logs:read'],
    owner: { tenantId },
    expiresAt: null,
  });
  environment = { PATH: process.env.PATH ?? '', TENANTSCOPE_URL: product.baseUrl, TENANTSCOPE_KEY: secret };
  ids = await write(tenantId, rows);
  writeLater = () => write(tenantId, 3);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await log?.[Symbol.asyncDispose]();
  await product?.[Symbol.asyncDispose]();
});

async function write(tenantId: string, count: number): Promise<string[]> {
  const startMs = product.throughMs() + 1;
  const events = Array.from({ length: count }, (_, index) => ({
    discoveredAt: new Date(startMs + index).toISOString(),
    severity: index === 7 ? ('high' as const) : null,
    clientApp: clientApps[index] ?? null,
  }));
  const written = await log.write(tenantId, events);
  // Reads by id find rows by their identity.
  await log.query(
    `insert into models.log_identity (tenant_id, id, discovered_at)
     select tenant_id, id, discovered_at from models.audit_log where tenant_id = $1 and discovered_at >= $2`,
    [tenantId, new Date(startMs)],
  );
  await product.settle(startMs + count);
  return written;
}

/** The code block with this label. */
async function readBlock(page: string, language: string, label: string): Promise<string> {
  const text = await readFile(join(checkout, page), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language} ${label}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  expect(blocks, label).toHaveLength(1);
  return blocks[0]?.[1] ?? '';
}

const readIds = (output: string) =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ')[0]);

/** Runs the block `follow` twice, with new rows between, and the other blocks. */
async function checkExamples(run: (label: string) => Promise<string>): Promise<void> {
  expect(readIds(await run('follow'))).toEqual(ids);
  const later = await writeLater();
  expect(readIds(await run('follow'))).toEqual(later);
  ids = [...ids, ...later];
}

describe('the Python client', () => {
  let python: string;
  beforeAll(async () => {
    python = await requireProgram(() => findProgram('python3'), {
      what: 'Python',
      packages: ['python3'],
      instead: 'PATH',
    });
  });
  const runCode = async (code: string) => {
    const env = { ...environment, PYTHONPATH: join(checkout, 'clients', 'python'), PYTHONDONTWRITEBYTECODE: '1' };
    return (await execute(python, ['-c', code], { cwd: directory, env, maxBuffer: 1 << 24 })).stdout;
  };
  const run = async (label: string) => runCode(await readBlock('clients/python/README.md', 'python', label));

  test('the examples of its page return every row, and continue from the position', async () => {
    await checkExamples(run);
    expect(await run('call')).toBe('client\nFileAccessed\n');
    expect(await run('errors')).toBe('400 INVALID_PARAMETER\n');
  }, 60_000);

  test('several values with commas are each found', async () => {
    const output = await runCode(`import os
from tenantscope import Client
client = Client(os.environ["TENANTSCOPE_URL"], os.environ["TENANTSCOPE_KEY"])
for row in client.list_logs(clientApp=${JSON.stringify(clientApps)}, limit=2, sort="discoveredAtAsc").rows:
    print(row["id"])`);
    expect(readIds(output)).toEqual(ids.slice(0, 2));
  }, 60_000);

  test('a time without a time zone is refused with its parameter and what to use instead', async () => {
    const list = (time: string) =>
      runCode(`import os
from datetime import datetime, timedelta, timezone
from tenantscope import Client
client = Client(os.environ["TENANTSCOPE_URL"], os.environ["TENANTSCOPE_KEY"])
print(len(client.list_logs(discoveredFrom=${time}, limit=5).rows))`);
    await expect(list('datetime(2026, 11, 1)')).rejects.toThrow(
      'ValueError: discoveredFrom: the datetime 2026-11-01T00:00:00 has no time zone',
    );
    expect(await list('datetime(2000, 1, 1, tzinfo=timezone.utc)')).toBe('5\n');
    expect(await list('datetime(2000, 1, 1, tzinfo=timezone(timedelta(hours=-5)))')).toBe('5\n');
  }, 60_000);

  test('an error lists the values that a refused parameter accepts', async () => {
    const output = await runCode(`import os
from tenantscope import ApiError, Client
try:
    Client(os.environ["TENANTSCOPE_URL"], os.environ["TENANTSCOPE_KEY"]).list_logs(severity="urgent")
except ApiError as error:
    print(error.details[0]["parameter"], error.details[0]["allowed"][-1])`);
    expect(output).toBe('severity critical\n');
  }, 60_000);

  test('an address without a scheme and an empty key are refused before the first request', async () => {
    const create = (url: string, key: string) => runCode(`from tenantscope import Client\nClient("${url}", "${key}")`);
    await expect(create('localhost:8080/api/v1', 'key')).rejects.toThrow('ValueError: url must begin with http');
    await expect(create('http://localhost:8080/api/v1', '')).rejects.toThrow('ValueError: key must be an API key');
  }, 60_000);

  test('a position of another request is refused, and so is another file', async () => {
    await writeFile(join(directory, 'logs.position'), '{"request":{},"cursor":"x"}');
    await expect(run('follow')).rejects.toThrow('continues another request');
    await writeFile(join(directory, 'logs.position'), 'x');
    await expect(run('follow')).rejects.toThrow('is not a file of a position');
    await rm(join(directory, 'logs.position'));
  }, 60_000);
});

test('the examples of the TypeScript client return every row, and continue from the position', async () => {
  const run = async (label: string) => {
    const code = await readBlock('packages/client/README.md', 'ts', label);
    const placed = code.replace("'logs.position'", JSON.stringify(join(directory, 'typescript.position')));
    const args = ['--input-type=module-typescript', '--eval', placed];
    return (await execute(process.execPath, args, { cwd: checkout, env: environment, maxBuffer: 1 << 24 })).stdout;
  };
  await checkExamples(run);
  expect(await run('call')).toBe('FileAccessed\n404 NOT_FOUND\n');
}, 60_000);

test.runIf(isLong)(
  'the example in Go returns every row, and continues from the position',
  { tags: ['torture'], timeout: 300_000 },
  async () => {
    const go = findProgram('go');
    if (go === null) throw new Error('Go is not installed');
    const program = join(directory, 'poller');
    await execute(go, ['build', '-o', program, '.'], {
      cwd: join(checkout, 'clients', 'go'),
      env: { ...process.env, CGO_ENABLED: '0' },
    });
    const run = async () =>
      (await execute(program, [join(directory, 'go.position')], { env: environment, maxBuffer: 1 << 26 })).stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => `${JSON.parse(line).id}\n`)
        .join('');
    await checkExamples(run);
  },
);

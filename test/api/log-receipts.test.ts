import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogReceipt } from '@tenantscope/contract';
import { digestJson, generateSigningKey } from '@tenantscope/proof';
import { insertLogReceipt } from '@tenantscope/store/receipts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { run } from '../cli/command-line.ts';
import {
  type ControlledInstallation,
  type Reader,
  startControlledInstallation,
} from '../guards/controlled-installation.ts';
import { type ControlledLog, openControlledLog } from '../installation/controlled-log.ts';
import { eventually } from '../installation/eventually.ts';
import { startProcess } from '../installation/processes.ts';
import { emptyReceipt, insertReceipt } from '../installation/stored-receipt.ts';
import { openTestPool } from '../services/pool.ts';
import { expectProofsOutliveRows } from './issued-proofs.ts';
import { expectSameWhenSealed } from './log-forms.ts';
import {
  expectClientsNameDifferences,
  expectClientsNameReceipts,
  expectClientsReport,
  expectScriptVerifies,
} from './receipt-readers.ts';

let product: ControlledInstallation;
let log: ControlledLog;
let directory: string;
let tenantId: string;
let reader: Reader;
let environment: Record<string, string>;
let firstDayMs: number;

const signingKey = await generateSigningKey();
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const at = (day: number, ms: number) => new Date(firstDayMs + day * dayMs + ms).toISOString();
const dayOf = (day: number) => at(day, 0).slice(0, 10);

/** Several hours, equal timestamps across a page, an empty day, text beyond ASCII, and the last millisecond of a day. */
async function writeHistory(): Promise<void> {
  const busy = Array.from({ length: 1_700 }, (_, row) => ({
    discoveredAt: at(0, 3 * hourMs + Math.floor(row / 400) * 2_000_000),
    description: row % 7 === 0 ? `Zażółć „${row}”` : null,
  }));
  await log.write(tenantId, [...busy, { discoveredAt: at(0, dayMs - 1) }]);
  await log.write(tenantId, [{ discoveredAt: at(2, 0) }, { discoveredAt: at(2, 5 * hourMs), details: { a: '1' } }]);
}

beforeAll(async () => {
  product = await startControlledInstallation({ TENANTSCOPE_SIGNING_KEY: signingKey });
  log = await openControlledLog(product.database.superuser);
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-receipts-'));
  await log.addPartitionBefore(8);
  firstDayMs = await log.addPartitionBefore(6);
  tenantId = await product.createTenant();
  reader = product.reader(tenantId, ['logs:read']);
  const key = { name: 'siem', scopes: ['logs:read'], owner: { tenantId }, expiresAt: null };
  environment = { TENANTSCOPE_URL: product.baseUrl, TENANTSCOPE_KEY: (await product.admin.keys.create(key)).secret };
  await writeHistory();
  await product.settle(firstDayMs + 3 * dayMs - 1);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await log?.[Symbol.asyncDispose]();
  await product?.[Symbol.asyncDispose]();
});

const startJobs = () =>
  startProcess('jobs', {
    TENANTSCOPE_JOBS_DATABASE_URL: product.database.roles.jobs,
    TENANTSCOPE_REDIS_URL: inject('services').redis,
    TENANTSCOPE_JOBS_QUEUE_PREFIX: `receipts-${tenantId}`,
    TENANTSCOPE_JOBS_RECONCILE_SECONDS: '0.2',
    TENANTSCOPE_SIGNING_KEY: signingKey,
    TENANTSCOPE_LOG_LEVEL: 'warn',
  });

async function readReceipts(by = reader): Promise<LogReceipt[]> {
  const response = await by.get('/logs/receipts', { from: at(0, 0), to: at(6, 0) });
  expect(response.status, response.text).toBe(200);
  return response.body.data;
}

const waitForDays = (count: number) =>
  eventually(`${count} receipts`, 30_000, async () => (await readReceipts()).length === count);

/** The rows as a poller receives them: one line each. */
async function receiveRows(): Promise<string[]> {
  const rows: string[] = [];
  let parameters: Record<string, string> = { sort: 'discoveredAtAsc', limit: '700' };
  for (;;) {
    const { body } = await reader.get('/logs', parameters);
    rows.push(...body.data.map((row: unknown) => JSON.stringify(row)));
    if (!body.pagination.hasMore) return rows;
    parameters = { cursor: body.pagination.nextCursor };
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('every complete day has a receipt, with the rows of its hours, in a chain', async () => {
  await using _jobs = await startJobs();
  // The third day ends a millisecond after the watermark.
  await waitForDays(2);
  await product.settle(firstDayMs + 3 * dayMs);
  await waitForDays(3);
  const receipts = await readReceipts();
  const rows = await receiveRows();
  expect(receipts.map(({ day, rowCount }) => [day, rowCount])).toEqual([
    [dayOf(0), 1_701],
    [dayOf(1), 0],
    [dayOf(2), 2],
  ]);
  expect(receipts.map(({ layout }) => layout)).toEqual([
    sha256(Object.keys(JSON.parse(rows[0] ?? '')).join()),
    null,
    receipts[0]?.layout,
  ]);
  const parsed = rows.map((text) => ({ text, row: JSON.parse(text) as { id: string; discoveredAt: string } }));
  const hours = Map.groupBy(parsed, ({ row }) => `${row.discoveredAt.slice(0, 13)}:00:00.000Z`);
  expect(receipts.flatMap((receipt) => receipt.hours)).toEqual(
    [...hours].map(([hour, own]) => ({
      hour,
      rowCount: own.length,
      idsSha256: sha256(own.map(({ row }) => `${row.id}\n`).join('')),
      rowsSha256: sha256(own.map(({ text }) => `${text}\n`).join('')),
    })),
  );
  for (const [index, { sha256: digest, ...content }] of receipts.entries()) {
    expect(await digestJson(content)).toBe(digest);
    expect(content.previousSha256).toBe(receipts[index - 1]?.sha256 ?? null);
  }
});

test('an event that is discovered later changes no receipt, and other tenants have their own', async () => {
  const before = await readReceipts();
  const stranger = await product.createTenant();
  await log.write(stranger, [{ discoveredAt: at(3, 1) }]);
  await log.write(tenantId, [{ occurredAt: at(0, 3 * hourMs), discoveredAt: at(3, 1) }]);
  await product.settle(firstDayMs + 4 * dayMs);
  await using _jobs = await startJobs();
  await waitForDays(4);
  const after = await readReceipts();
  expect(after.slice(0, 3)).toEqual(before);
  expect(after[3]).toMatchObject({ day: dayOf(3), rowCount: 1 });
  const theirs = product.reader(stranger, ['logs:read']);
  await eventually('the receipt of the other tenant', 30_000, async () => (await readReceipts(theirs)).length === 1);
  expect(await readReceipts(theirs)).toMatchObject([{ tenantId: stranger, day: dayOf(3), previousSha256: null }]);
});

test('a receipt is neither changed nor forged', async () => {
  for (const statement of [
    'update models.log_receipt set row_count = 0',
    'delete from models.log_receipt',
    'truncate models.log_receipt',
  ])
    await expect(product.superuser.query(statement), statement).rejects.toThrow('receipts are immutable');
  const [last] = (await readReceipts()).toReversed();
  const jobs = openTestPool(product.database.roles.jobs, { max: 1 });
  const insert = async (changed: Partial<LogReceipt>, named = tenantId) => {
    const { sha256, ...members } = changed;
    const content = { ...emptyReceipt(named, dayOf(4)), previousSha256: last?.sha256 ?? null, ...members };
    const client = await jobs.connect();
    try {
      await client.query('begin read write');
      await client.query(`select set_config('tenantscope.tenant', $1, true)`, [tenantId]);
      await insertReceipt(client, content, sha256);
      return 'inserted';
    } catch (error) {
      return (error as Error).message;
    } finally {
      await client.query('rollback');
      client.release();
    }
  };
  try {
    expect(await insert({})).toBe('inserted');
    expect(await insert({ previousSha256: 'a'.repeat(64) })).toContain('must follow the last one');
    expect(await insert({ day: dayOf(2) })).toContain('must follow the last one');
    expect(await insert({ day: new Date().toISOString().slice(0, 10) })).toContain('a day that is over');
    expect(await insert({ rowCount: 5 })).toContain('the values of its columns');
    expect(await insert({ sha256: 'b'.repeat(64) })).toContain('must be that of its document');
    expect(await insert({ previousSha256: null }, await product.createTenant())).toContain('row-level security');
  } finally {
    await jobs.end();
  }
});

test('too many days at once are refused', async () => {
  const response = await reader.get('/logs/receipts', { from: '2020-01-01', to: '2026-01-01' });
  expect(response).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
  expect(response.body.error.details).toMatchObject([{ parameter: 'from' }]);
});

test('verify-receipts finds rows that are missing, altered, added or in another order', async () => {
  const rows = await receiveRows();
  const hour = at(0, 3 * hourMs).slice(0, 13);
  const verify = (lines: readonly string[], ...args: string[]) =>
    run(['verify-receipts', '-', '--from', at(0, 0), '--to', at(3, 0), ...args], {
      environment,
      directory,
      input: lines.map((line) => `${line}\n`).join(''),
    });
  const sound = await verify(rows, '--json');
  expect(sound, sound.stderr).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(sound.stdout)).toMatchObject({ tenantId, rows: rows.length, rowsWithoutReceipt: 0, faults: [] });

  const altered = rows.with(9, (rows[9] ?? '').replace('"action":"FileAccessed"', '"action":"FileDeleted"'));
  const swapped = rows.with(5, rows[6] ?? '').with(6, rows[5] ?? '');
  const added = (rows[3] ?? '').replace(/"id":"[0-9a-f]{8}/, '"id":"00000000');
  const faults: readonly (readonly [readonly string[], string])[] = [
    [rows.toSpliced(7, 1), `${hour}:00Z: `],
    [rows.slice(0, -1), 'T00:00Z: 0 rows instead of 1'],
    [rows.slice(1_701), `${hour}:00Z: 0 rows instead of `],
    [altered, `${hour}:00Z: a row was altered`],
    [swapped, 'line 7: the row is before the row of an earlier line'],
    [swapped, `${hour}:00Z: rows are other ones, or in another order`],
    [rows.toSpliced(3, 0, added), 'rows instead of '],
    [rows.with(3, added), `${hour}:00Z: rows are other ones, or in another order`],
    [[...rows, added.replaceAll(at(0, 3 * hourMs), at(1, 0))], `${dayOf(1)}T00:00Z: 1 row instead of 0`],
  ];
  for (const [lines, fault] of faults) {
    const { status, stderr } = await verify(lines);
    expect([status, stderr], fault).toEqual([1, expect.stringContaining(fault)]);
  }
  // A page that was received twice after an interruption, and a response as NDJSON.
  const repeated = [...rows.slice(0, 700), '{"pagination":{}}', ...rows.slice(300)];
  expect(JSON.parse((await verify(repeated, '--json')).stdout)).toMatchObject({ faults: [], repeatedRows: 400 });
  const other = rows.map((row) => row.replace('{"id"', '{"added":1,"id"'));
  expect(await verify(other)).toMatchObject({ status: 3, stderr: expect.stringContaining('have other members') });
  expect(await verify(['nonsense'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('line 1 is not a row'),
  });
});

test('a chain of receipts that was altered or is incomplete is found', async () => {
  const file = join(directory, 'receipts.json');
  const rows = await receiveRows();
  const receipts = await readReceipts();
  const verify = async (data: unknown) => {
    await writeFile(file, JSON.stringify({ data }));
    return run(['verify-receipts', '-', '--receipts', file], {
      environment: {},
      directory,
      input: `${rows.join('\n')}\n`,
    });
  };
  expect(await verify(receipts)).toMatchObject({ status: 0, stderr: '' });
  expect((await verify(receipts.toSpliced(1, 1))).stderr).toContain(`it does not follow the receipt of ${dayOf(0)}`);
  const [first, ...rest] = receipts;
  expect((await verify([{ ...first, rowCount: 1 }, ...rest])).stderr).toContain('its digest does not match it');
});

test('pages and digests of sealed days are those of before, compressed or not, and in other representations', async () => {
  await expectSameWhenSealed({ product, key: environment.TENANTSCOPE_KEY ?? '', receiveRows });
});

test('the script of the documentation verifies the rows that tenantscope tail wrote', async () => {
  const tailed = await run(['tail', 'logs', '--once'], { environment, directory });
  await expectScriptVerifies({ directory, environment }, tailed.stdout, await readReceipts());
});

test('the examples of the clients name the rows that were removed, altered and added', async () => {
  await expectClientsNameDifferences({ directory, environment }, await receiveRows());
}, 120_000);

test('the examples of the clients name the receipts that were altered or do not follow each other', async () => {
  const rows = await receiveRows();
  const days = (await readReceipts()).map(({ day }) => day);
  await expectClientsNameReceipts({ directory, environment }, rows, days);
}, 60_000);

test('days whose rows were deleted by age have no receipt, and the chain goes on', async () => {
  const before = await readReceipts();
  const rows = await receiveRows();
  await product.superuser.query('update models.retention set dropped_before = $1', [at(6, hourMs)]);
  const jobs = openTestPool(product.database.roles.jobs, { max: 1 });
  const content = emptyReceipt(randomUUID(), dayOf(6));
  const receipt = { ...content, sha256: await digestJson(content) };
  expect(await insertLogReceipt(jobs, receipt).finally(() => jobs.end()), 'rows were deleted meanwhile').toBe(false);
  const [later] = await log.write(tenantId, [{ discoveredAt: at(7, 1) }]);
  await product.settle(firstDayMs + 8 * dayMs);
  await using _jobs = await startJobs();
  const read = async () => (await reader.get('/logs/receipts', { from: at(0, 0), to: at(7, 0) })).body.data;
  await eventually('a receipt after the deleted days', 30_000, async () => (await read()).length === before.length + 1);
  expect((await read()).at(-1)).toMatchObject({ day: dayOf(7), previousSha256: before.at(-1)?.sha256 });
  // A receiver that stores rows longer learns which hour differs, and no longer which row of it.
  const altered = rows.with(9, (rows[9] ?? '').replace('"action":"FileAccessed"', '"action":"FileDeleted"'));
  await eventually('the deleted days are not served', 30_000, async () => (await receiveRows()).length === 1);
  const differences = [
    ['unnamed', at(0, 3 * hourMs).slice(0, 13), null],
    ['removed', at(7, 0).slice(0, 13), later],
  ] as const;
  await expectClientsReport({ directory, environment }, altered, differences, rows.length + 1);
}, 60_000);

test('receipts, snapshots and evidence packs verify after rows were deleted by the retention of their tenant', async () => {
  await log.write(
    tenantId,
    Array.from({ length: 1_202 }, (_, row) => ({ discoveredAt: at(8, row * 72_000) })),
  );
  await product.settle(firstDayMs + 10 * dayMs);
  await using _jobs = await startJobs();
  const period = { from: at(8, 0), deletedBefore: at(9, 0), to: at(10, 0) };
  await expectProofsOutliveRows({ product, log, tenantId, environment, directory, period, receiveRows });
}, 60_000);

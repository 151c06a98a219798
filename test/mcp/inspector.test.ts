import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operations, scopes } from '@tenantscope/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Product, product } from '../product/product.ts';
import { stillLog } from '../product/still-log.ts';
import { agentOf } from './agent.ts';
import { requestsAMinute, spendBudget } from './spend-budget.ts';

// The protocol's own inspector, as people run it to see what a server offers.

const program = fileURLToPath(new URL('../../node_modules/.bin/mcp-inspector', import.meta.url));
const isInstalled = existsSync(program);
if (!isInstalled) console.log('the Inspector is skipped: @modelcontextprotocol/inspector is not installed');

let running: Product;
let home: string;
let baseUrl: string;
let tenantId: string;

beforeAll(async () => {
  running = await product();
  home = await mkdtemp(join(tmpdir(), 'tenantscope-inspector-'));
  await using log = await stillLog(running.database.superuser);
  ({ baseUrl } = await running.startApi({ TENANTSCOPE_DRAIN_MS: '0' }));
  tenantId = (await running.tenant('Own')).id;
  const discoveredAt = new Date(Date.now() - 7_200_000).toISOString();
  await log.write(tenantId, [{ action: 'OwnAction', discoveredAt }]);
}, 90_000);
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  if (home) await rm(home, { recursive: true, force: true });
}, 60_000);

const eras = ['legacy', 'modern', 'auto'] as const;

describe.runIf(isInstalled).each(eras)('the Inspector in the era %s', { timeout: 60_000 }, (era) => {
  const inspect = async (method: string, words: readonly string[] = [], secret?: string) =>
    run(secret ?? (await newKey()), ['--protocol-era', era, '--method', method, ...words]);
  const call = (name: string, given: unknown, secret?: string) =>
    inspect('tools/call', ['--tool-name', name, '--tool-args-json', JSON.stringify(given)], secret);

  test('finds every tool, and no schema that some client could not read', async () => {
    const listed = await inspect('tools/list', ['--strict']);
    expect([listed.code, listed.errors]).toEqual([0, '']);
    expect(namesOf(listed.result.tools)).toEqual(operations.map(({ name }) => name));
  });

  test('finds the prompts and has one filled in', async () => {
    expect(namesOf((await inspect('prompts/list')).result.prompts)).toContain('sweep-since');
    const filled = await inspect('prompts/get', ['--prompt-name', 'sweep-since', '--prompt-args', 'since=2026-11-01']);
    expect(filled.result.messages[0].content.text).toContain('"2026-11-01T00:00:00.000Z"');
  });

  test('calls a tool', async () => {
    const called = await call('list_logs', { action: 'OwnAction', limit: 2 });
    expect([called.code, called.errors]).toEqual([0, '']);
    expect(called.result.structuredContent.data).toMatchObject([{ action: 'OwnAction' }]);
  });

  test('shows what is refused, and why', async () => {
    const wrong = await call('list_logs', { severity: 'urgent' });
    expect(wrong).toMatchObject({ code: failedCall, result: { isError: true } });
    expect(errorOf(wrong)).toMatchObject({ code: 'INVALID_PARAMETER', details: [{ parameter: 'severity' }] });

    const nobody = await call('ping', {}, 'nonsense');
    expect(nobody).toMatchObject({ code: noKey, result: null });
  });

  test('shows when to call again, where the budget ended before the call or before the first word', async () => {
    const measured = await newKey();
    await call('ping', {}, measured);
    const { headers } = await agentOf(baseUrl, measured).ask('ping');
    const forOneCall = requestsAMinute - Number(headers.get('x-ratelimit-remaining')) - 1;
    const almost = await newKey();
    await spendBudget(baseUrl, almost, forOneCall - 1);
    const limited = await call('ping', {}, almost);
    expect(limited).toMatchObject({ code: failedCall, result: { isError: true } });
    expect(errorOf(limited)).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringMatching(/Wait \d+ s/) });
    expect((await call('ping', {}, almost)).code).not.toBe(0);
  });
});

/** How it ends where a tool's result is an error. */
const failedCall = 5;
/** How it ends where it was not let in. */
const noKey = 3;

interface Inspected {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: results of every method
  readonly result: any;
  readonly errors: string;
}

async function newKey(): Promise<string> {
  const key = { name: 'inspector', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
  return (await running.admin.keys.create(key)).secret;
}

const namesOf = (named: readonly { readonly name: string }[]) => named.map(({ name }) => name);
const errorOf = ({ result }: Inspected) => JSON.parse(result.content[0].text).error;

function run(secret: string, words: readonly string[]): Promise<Inspected> {
  const server = ['--cli', `${baseUrl}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${secret}`];
  // A key is no reason to open a browser for a login.
  const alone = ['--stored-auth-only', '--format', 'json'];
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' };
  const options = { cwd: home, env, timeout: 50_000, maxBuffer: 1 << 24 };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...server, ...alone, ...words], options, (failure, output, errors) => {
      const code = failure === null ? 0 : Number(failure.code ?? -1);
      resolve({ code, result: output === '' ? null : JSON.parse(output).result, errors });
    });
  });
}

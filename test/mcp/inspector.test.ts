// @module-tag torture
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operations, scopes } from '@tenantscope/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openControlledLog } from '../installation/controlled-log.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createMcpClient } from './mcp-client.ts';
import { consumeRateLimit, requestsPerMinute } from './rate-limit.ts';

// The official inspector of the protocol, as developers run it.

const program = fileURLToPath(new URL('../../node_modules/.bin/mcp-inspector', import.meta.url));
const isInstalled = existsSync(program);
if (!isInstalled) console.log('the Inspector is skipped: @modelcontextprotocol/inspector is not installed');

let installation: Installation;
let home: string;
let baseUrl: string;
let tenantId: string;

beforeAll(async () => {
  installation = await startInstallation();
  home = await mkdtemp(join(tmpdir(), 'tenantscope-inspector-'));
  await using log = await openControlledLog(installation.database.superuser);
  ({ baseUrl } = await installation.startApi());
  tenantId = (await installation.createTenant('Own')).id;
  const discoveredAt = new Date(Date.now() - 7_200_000).toISOString();
  await log.write(tenantId, [{ action: 'OwnAction', discoveredAt }]);
});
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
  if (home) await rm(home, { recursive: true, force: true });
});

const eras = ['legacy', 'modern', 'auto'] as const;

describe.runIf(isInstalled).each(eras)('the Inspector in the era %s', { tags: ['inspector'] }, (era) => {
  const inspect = async (method: string, args: readonly string[] = [], secret?: string) =>
    run(secret ?? (await newKey()), ['--protocol-era', era, '--method', method, ...args]);
  const call = (name: string, given: unknown, secret?: string) =>
    inspect('tools/call', ['--tool-name', name, '--tool-args-json', JSON.stringify(given)], secret);

  test('the Inspector finds every tool with portable schemas', async () => {
    const listed = await inspect('tools/list', ['--strict']);
    expect([listed.code, listed.errors]).toEqual([0, '']);
    expect(namesOf(listed.result.tools)).toEqual(operations.map(({ name }) => name));
  });

  test('the Inspector lists the prompts and fills one in', async () => {
    expect(namesOf((await inspect('prompts/list')).result.prompts)).toContain('sweep-since');
    const filled = await inspect('prompts/get', ['--prompt-name', 'sweep-since', '--prompt-args', 'since=2026-11-01']);
    expect(filled.result.messages[0].content.text).toContain('"2026-11-01T00:00:00.000Z"');
  });

  test('the Inspector calls a tool', async () => {
    const called = await call('list_logs', { action: 'OwnAction', limit: 2 });
    expect([called.code, called.errors]).toEqual([0, '']);
    expect(called.result.structuredContent.data).toMatchObject([{ action: 'OwnAction' }]);
  });

  test('the Inspector shows errors and their reasons', async () => {
    const wrong = await call('list_logs', { severity: 'urgent' });
    expect(wrong).toMatchObject({ code: failedCall, result: { isError: true } });
    expect(errorOf(wrong)).toMatchObject({ code: 'INVALID_PARAMETER', details: [{ parameter: 'severity' }] });

    const unauthenticated = await call('ping', {}, 'nonsense');
    expect(unauthenticated).toMatchObject({ code: noKey, result: null });
  });

  test('the Inspector shows the retry time when the rate limit ends before or during a session', async () => {
    const measured = await newKey();
    await call('ping', {}, measured);
    const { headers } = await createMcpClient(baseUrl, measured).request('ping');
    // A call takes a varying number of requests: some are sent while the Inspector ends, or not at all.
    let left = requestsPerMinute - Number(headers.get('x-ratelimit-remaining')) - 1;
    let almost: string;
    let limited: Inspected;
    do {
      left -= 1;
      almost = await newKey();
      await consumeRateLimit(baseUrl, almost, left);
      limited = await call('ping', {}, almost);
    } while (limited.code === 0 && left > 0);
    expect(limited).toMatchObject({ code: failedCall, result: { isError: true } });
    expect(errorOf(limited)).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringMatching(/Wait \d+ s/) });
    expect((await call('ping', {}, almost)).code).not.toBe(0);
  });
});

/** Its exit status when a tool result is an error. */
const failedCall = 5;
/** Its exit status when authentication fails. */
const noKey = 3;

interface Inspected {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: results of every method
  readonly result: any;
  readonly errors: string;
}

async function newKey(): Promise<string> {
  const key = { name: 'inspector', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
  return (await installation.admin.keys.create(key)).secret;
}

const namesOf = (named: readonly { readonly name: string }[]) => named.map(({ name }) => name);
const errorOf = ({ result }: Inspected) => JSON.parse(result.content[0].text).error;

function run(secret: string, args: readonly string[]): Promise<Inspected> {
  const server = ['--cli', `${baseUrl}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${secret}`];
  // A key must not open a browser for a login.
  const alone = ['--stored-auth-only', '--format', 'json'];
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' };
  const options = { cwd: home, env, timeout: 50_000, maxBuffer: 1 << 24 };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...server, ...alone, ...args], options, (failure, output, errors) => {
      const code = failure === null ? 0 : Number(failure.code ?? -1);
      resolve({ code, result: output === '' ? null : JSON.parse(output).result, errors });
    });
  });
}

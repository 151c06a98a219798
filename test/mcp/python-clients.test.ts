// @module-tag torture
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { spawnGuarded } from '@tenantscope/local';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, type TestContext, test } from 'vitest';
import { type ControlledLog, openControlledLog } from '../installation/controlled-log.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { preparePython } from './python-environment.ts';
import { consumeRateLimit } from './rate-limit.ts';

// The Python libraries of agents: every error must reach the model as text, and the session must continue.

const rows = 5;
const setUpTimeoutMs = 400_000;

let installation: Installation;
let log: ControlledLog;
let redis: Redis;
let baseUrl: string;

beforeAll(async () => {
  installation = await startInstallation();
  log = await openControlledLog(installation.database.superuser);
  redis = new Redis<'legacy'>(inject('services').redis);
  ({ baseUrl } = await installation.startApi());
});
afterAll(async () => {
  redis?.disconnect();
  await log?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

describe.each(['auto', 'legacy', '2026-07-28'])('fastmcp in mode %s', (mode) => {
  test('the client works and continues after every failure', { timeout: setUpTimeoutMs }, async (context) => {
    const { key, client } = await connect(context, 'fastmcp', mode);
    await expectErrorRecovery(client);
    await consumeRateLimit(baseUrl, key.secret);
    expectLimited(await client.call('list_logs', {}));
    expectLimited(await client.call('ping', {}));
    await nextMinute(key.id);
    await isResponsive(client);
    expect((await client.call('no_such_tool', {})).raised).toMatch(/Unknown tool/);
    expect((await client.call('ping', {})).isError).toBe(false);
  });
});

describe('LangChain client', () => {
  test('the client works in one session and continues after every failure', {
    timeout: setUpTimeoutMs,
  }, async (context) => {
    const { key, client } = await connect(context, 'langchain', 'all');
    await expectErrorRecovery(client);
    await consumeRateLimit(baseUrl, key.secret);
    expectLimited(await client.call('list_logs', {}));
    expectLimited(await client.call('ping', {}));
    await nextMinute(key.id);
    await isResponsive(client);
  });

  test('the client works with a session for each call', { timeout: setUpTimeoutMs }, async (context) => {
    const { key, client } = await connect(context, 'langchain', 'each');
    await expectErrorRecovery(client);
    // Each call connects again: it fails before there is a call.
    await consumeRateLimit(baseUrl, key.secret);
    expect((await client.call('list_logs', {})).raised).toContain('429');
    await nextMinute(key.id);
    await isResponsive(client);
  });
});

/** The result of a call as the client returns it. */
interface Reported {
  readonly isError?: boolean;
  readonly text?: string;
  // biome-ignore lint/suspicious/noExplicitAny: results of every tool
  readonly structured?: any;
  readonly raised?: string;
}

interface Client {
  readonly tenantId: string;
  tools(): Promise<readonly string[]>;
  call(name: string, given: Record<string, unknown>): Promise<Reported>;
}

async function expectErrorRecovery({ tenantId, tools, call }: Client): Promise<void> {
  expect(await tools()).toEqual([
    'ping',
    'list_tenants',
    'list_feeds',
    'list_logs',
    'get_log_summary',
    'list_log_receipts',
    'get_log',
  ]);
  expect((await call('ping', {})).structured.data.tenantId).toBe(tenantId);

  const ids: string[] = [];
  for (let given: Record<string, unknown> | null = { limit: 2, sort: 'discoveredAtAsc' }; given !== null; ) {
    const page = await call('list_logs', given);
    expect(page.isError).toBe(false);
    expect(JSON.parse(page.text ?? '')).toEqual(page.structured);
    const { data, pagination } = page.structured;
    ids.push(...data.map(({ id }: { id: string }) => id));
    given = pagination.hasMore ? { cursor: pagination.nextCursor } : null;
  }
  expect([ids.length, new Set(ids).size]).toEqual([rows, rows]);

  const wrong = await call('list_logs', { severity: 'urgent' });
  expect(wrong.isError).toBe(true);
  const [detail] = errorOf(wrong).details;
  expect(detail).toMatchObject({ parameter: 'severity', allowed: expect.arrayContaining(['high']) });
  const corrected = await call('list_logs', { severity: detail.allowed.join(), limit: null });
  expect(corrected.isError).toBe(false);

  await installation.admin.tenants.setPlan(tenantId, 'none');
  const gated = await call('list_logs', {});
  expect([gated.isError, errorOf(gated).code]).toEqual([true, 'PLAN_REQUIRED']);
  await installation.admin.tenants.setPlan(tenantId, 'api');
  expect((await call('list_logs', { limit: 1 })).structured.data).toHaveLength(1);
}

function expectLimited(result: Reported): void {
  expect(result.isError, result.raised).toBe(true);
  expect(errorOf(result)).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringMatching(/Wait \d+ s/) });
}

const errorOf = ({ text = '', raised }: Reported) => {
  expect(raised).toBeUndefined();
  return JSON.parse(text).error;
};

/** Its requests are forgotten, as at the end of their minute. */
/** While Redis was slow, the limiter in the process counted: its minute ends independently. */
async function isResponsive(client: Awaited<ReturnType<typeof connect>>['client']): Promise<void> {
  await eventually('the rate limit is reset', 30_000, async () => (await client.call('ping', {})).isError === false);
}

async function nextMinute(keyId: string): Promise<void> {
  const counted = await redis.keys(`*${keyId}*`);
  expect(counted).toHaveLength(1);
  await redis.del(counted);
}

/** A Python program that runs calls on request, connected for a new tenant. */
async function connect(context: TestContext, name: 'fastmcp' | 'langchain', how: string) {
  const prepared = await preparePython(name);
  if ('missing' in prepared) {
    console.log(`${name} is skipped: ${prepared.missing}`);
    return context.skip(prepared.missing);
  }
  const tenant = await installation.createTenant('Own');
  const discoveredAt = (at: number) => new Date(Date.now() - 7_200_000 + at).toISOString();
  await log.write(
    tenant.id,
    Array.from({ length: rows }, (_, at) => ({ discoveredAt: discoveredAt(at), severity: 'low' as const })),
  );
  const owner = { tenantId: tenant.id };
  const key = await installation.admin.keys.create({ name: 'agent', scopes: ['logs:read'], owner, expiresAt: null });
  const program = fileURLToPath(new URL(`clients/${name}_client.py`, import.meta.url));
  const args = [program, `${baseUrl}/mcp`, key.secret, tenant.id, how];
  const child = spawnGuarded([prepared.python, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    stopSignal: 'SIGTERM',
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const call = async (tool: string | null, given: Record<string, unknown>) => {
    child.stdin?.write(`${JSON.stringify({ name: tool, arguments: given })}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`the Python client ended: ${errors.slice(-2_000)}`);
    return JSON.parse(value);
  };
  const client: Client = {
    tenantId: tenant.id,
    tools: async () => (await call(null, {})).tools,
    call: (tool, given) => call(tool, given),
  };
  return { key, client };
}

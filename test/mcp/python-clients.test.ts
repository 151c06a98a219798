import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { spawnGuarded } from '@tenantscope/local';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, type TestContext, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { type Product, product } from '../product/product.ts';
import { type StillLog, stillLog } from '../product/still-log.ts';
import { pythonWith } from './python-environment.ts';
import { spendBudget } from './spend-budget.ts';

// What agents in Python are made with: whatever fails in a call must reach the model as words, and the session must outlive it.

const rows = 5;
const setUpTimeoutMs = 400_000;

let running: Product;
let log: StillLog;
let redis: Redis;
let baseUrl: string;

beforeAll(async () => {
  running = await product();
  log = await stillLog(running.database.superuser);
  redis = new Redis(inject('services').redis);
  ({ baseUrl } = await running.startApi({ TENANTSCOPE_DRAIN_MS: '0' }));
}, 90_000);
afterAll(async () => {
  redis?.disconnect();
  await log?.[Symbol.asyncDispose]();
  await running?.[Symbol.asyncDispose]();
}, 60_000);

describe.each(['auto', 'legacy', '2026-07-28'])('fastmcp, mode %s', (mode) => {
  test('works, and goes on after whatever fails', { timeout: setUpTimeoutMs }, async (context) => {
    const { key, client } = await connect(context, 'fastmcp', mode);
    await worksAndGoesOn(client);
    await spendBudget(baseUrl, key.secret);
    expectLimited(await client.call('list_logs', {}));
    expectLimited(await client.call('ping', {}));
    await nextMinute(key.id);
    await worksAgain(client);
    expect((await client.call('no_such_tool', {})).raised).toMatch(/Unknown tool/);
    expect((await client.call('ping', {})).isError).toBe(false);
  });
});

describe('LangChain', () => {
  test('works in one session, and goes on after whatever fails', { timeout: setUpTimeoutMs }, async (context) => {
    const { key, client } = await connect(context, 'langchain', 'all');
    await worksAndGoesOn(client);
    await spendBudget(baseUrl, key.secret);
    expectLimited(await client.call('list_logs', {}));
    expectLimited(await client.call('ping', {}));
    await nextMinute(key.id);
    await worksAgain(client);
  });

  test('works with a session for each call', { timeout: setUpTimeoutMs }, async (context) => {
    const { key, client } = await connect(context, 'langchain', 'each');
    await worksAndGoesOn(client);
    // Each call connects anew: it fails before there is a call that could be answered.
    await spendBudget(baseUrl, key.secret);
    expect((await client.call('list_logs', {})).raised).toContain('429');
    await nextMinute(key.id);
    await worksAgain(client);
  });
});

/** What came of a call, as the client hands it to whoever called. */
interface Said {
  readonly isError?: boolean;
  readonly text?: string;
  // biome-ignore lint/suspicious/noExplicitAny: results of every tool
  readonly structured?: any;
  readonly raised?: string;
}

interface Client {
  readonly tenantId: string;
  tools(): Promise<readonly string[]>;
  call(name: string, given: Record<string, unknown>): Promise<Said>;
}

async function worksAndGoesOn({ tenantId, tools, call }: Client): Promise<void> {
  expect(await tools()).toEqual(['ping', 'list_tenants', 'list_logs']);
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

  await running.admin.tenants.setPlan(tenantId, 'none');
  const gated = await call('list_logs', {});
  expect([gated.isError, errorOf(gated).code]).toEqual([true, 'PLAN_REQUIRED']);
  await running.admin.tenants.setPlan(tenantId, 'api');
  expect((await call('list_logs', { limit: 1 })).structured.data).toHaveLength(1);
}

function expectLimited(said: Said): void {
  expect(said.isError, said.raised).toBe(true);
  expect(errorOf(said)).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringMatching(/Wait \d+ s/) });
}

const errorOf = ({ text = '', raised }: Said) => {
  expect(raised).toBeUndefined();
  return JSON.parse(text).error;
};

/** Its requests are forgotten, as they are when their minute is over. */
/** Where Redis was too slow for a moment, the limiter in the process counted: its minute ends by itself. */
async function worksAgain(client: Awaited<ReturnType<typeof connect>>['client']): Promise<void> {
  await eventually('the budget is there again', 30_000, async () => (await client.call('ping', {})).isError === false);
}

async function nextMinute(keyId: string): Promise<void> {
  const counted = await redis.keys(`*${keyId}*`);
  expect(counted).toHaveLength(1);
  await redis.del(counted);
}

/** A program in Python that does what it is told, connected for a tenant of its own. */
async function connect(context: TestContext, name: 'fastmcp' | 'langchain', how: string) {
  const made = await pythonWith(name);
  if ('missing' in made) {
    console.log(`${name} is skipped: ${made.missing}`);
    return context.skip(made.missing);
  }
  const tenant = await running.tenant('Own');
  const discoveredAt = (at: number) => new Date(Date.now() - 7_200_000 + at).toISOString();
  await log.write(
    tenant.id,
    Array.from({ length: rows }, (_, at) => ({ discoveredAt: discoveredAt(at), severity: 'low' as const })),
  );
  const owner = { tenantId: tenant.id };
  const key = await running.admin.keys.create({ name: 'agent', scopes: ['logs:read'], owner, expiresAt: null });
  const program = fileURLToPath(new URL(`clients/${name}_client.py`, import.meta.url));
  const words = [program, `${baseUrl}/mcp`, key.secret, tenant.id, how];
  const child = spawnGuarded([made.python, ...words], {
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
  const answers = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const tell = async (tool: string | null, given: Record<string, unknown>) => {
    child.stdin?.write(`${JSON.stringify({ name: tool, arguments: given })}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error(`the client in Python ended: ${errors.slice(-2_000)}`);
    return JSON.parse(value);
  };
  const client: Client = {
    tenantId: tenant.id,
    tools: async () => (await tell(null, {})).tools,
    call: (tool, given) => tell(tool, given),
  };
  return { key, client };
}

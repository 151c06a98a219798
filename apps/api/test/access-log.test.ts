// @module-tag exhaustive
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { createLog } from '@tenantscope/runtime';
import { makeSecret } from '@tenantscope/store/api-key';
import { expect, test, vi } from 'vitest';
import { createKeyUsageCounter } from '../src/auth/key-usage.ts';
import { accessLogEntry } from '../src/http/access-log.ts';
import { shortTimeouts, startTestApp, type TestAppOptions, testKey } from './test-app.ts';

const silent = createLog({ name: 'api', level: 'silent' });
const tenantId = testKey.boundTenantId;
const secret = makeSecret();

interface Line {
  readonly level: number;
  readonly msg: string;
}

type LogOptions = TestAppOptions & { readonly level?: string };

/** Sends requests to an api with this configuration; returns the lines of these requests. */
async function logOf(
  options: LogOptions,
  ...requests: readonly (readonly [path: string, init: RequestInit])[]
): Promise<readonly (Line & Record<string, unknown>)[]> {
  return (await allLinesOf(options, ...requests)).filter(({ msg }) => msg === 'request completed');
}

/** All lines about requests. */
const allLinesOf = (
  options: LogOptions,
  ...requests: readonly (readonly [path: string, init: RequestInit])[]
): Promise<readonly (Line & Record<string, unknown>)[]> =>
  linesOf(options, async ({ port }) => {
    for (const [path, init] of requests) await (await fetch(`http://127.0.0.1:${port}${path}`, init)).text();
  });

/** All lines about the requests that `use` sends. */
async function linesOf(
  options: LogOptions,
  use: (app: Awaited<ReturnType<typeof startTestApp>>) => Promise<void>,
): Promise<readonly (Line & Record<string, unknown>)[]> {
  let text = '';
  const output = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    await using keyUsage = createKeyUsageCounter({ addUsage: async () => {} }, silent);
    const log = createLog({ name: 'api', level: options.level ?? 'info' });
    {
      await using app = await startTestApp({ ...options, log, keyUsage });
      await use(app);
    }
    return text
      .split('\n')
      .filter((line) => line.includes('"msg":"request '))
      .map((line) => JSON.parse(line));
  } finally {
    output.mockRestore();
  }
}

/** The members of the schema; throws for a line that does not match it. */
const parseEntry = ({ level, time, pid, hostname, name, msg, ...entry }: Line & Record<string, unknown>) =>
  accessLogEntry.parse(entry);

const withKey = (more: Record<string, string> = {}) => ({ headers: { authorization: `Bearer ${secret}`, ...more } });

test('each request is a line that matches the schema', async () => {
  const lines = await logOf(
    { logsAccess: true },
    ['/api/v1/logs?user=olivia%40example.com', withKey({ 'user-agent': 'collector/1' })],
    ['/api/v1/users', withKey()],
    ['/api/v1/elsewhere', {}],
  );
  const [first, second, third] = lines.map(parseEntry);
  const sent = {
    keyId: 'key',
    isKeyEnded: false,
    tenantId,
    calledOperation: null,
    method: 'GET',
    address: '127.0.0.1',
  };
  expect(first).toMatchObject({ ...sent, operation: 'list_logs', userAgent: 'collector/1' });
  expect(first?.status).toBeGreaterThanOrEqual(400);
  expect(second).toMatchObject({ ...sent, operation: 'list_users', status: 403 });
  expect(third).toMatchObject({ keyId: null, tenantId: null, operation: 'none', status: 404 });
  expect(lines.map(({ level }) => level)).toEqual([30, 30, 30]);
  expect(JSON.stringify(lines)).not.toContain('olivia');
  expect(JSON.stringify(lines)).not.toContain(secret);
});

const toolCall = (name: string) => ({
  method: 'POST',
  headers: {
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'tools/call', params: { name, arguments: {} } }),
});

test('a tool call names its operation and its tenant', async () => {
  const lines = await logOf(
    { logsAccess: true },
    ['/api/v1/mcp', toolCall('list_logs')],
    ['/api/v1/mcp', toolCall('drop table')],
  );
  expect(lines.map(parseEntry)).toMatchObject([
    { operation: 'mcp', calledOperation: 'list_logs', tenantId, keyId: 'key' },
    { operation: 'mcp', calledOperation: null, keyId: 'key' },
  ]);
});

test('a request whose client does not wait for the response, or does not read it, is a line', async () => {
  const requested = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const handlers = {
    ping() {
      requested[0].resolve();
      return new Promise<never>(() => {});
    },
    async list_logs() {
      requested[1].resolve();
      return { body: Buffer.alloc(48 * 1_048_576) };
    },
  };
  const lines = await linesOf({ logsAccess: true, handlers, timeouts: shortTimeouts }, async (app) => {
    const open = (path: string) => {
      const socket = connect({ host: '127.0.0.1', port: app.port }).pause();
      socket.write(`GET /api/v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\n\r\n`);
      return socket;
    };
    const impatient = open('/ping');
    await requested[0].promise;
    impatient.destroy();
    await expect.poll(() => app.countConnections(), { timeout: 20_000 }).toBe(0);
    const stalled = open('/logs');
    await requested[1].promise;
    await expect.poll(() => app.countConnections(), { timeout: 20_000 }).toBe(0);
    stalled.destroy();
  });
  expect(lines.map(parseEntry)).toMatchObject([
    { operation: 'ping', status: 499, keyId: 'key' },
    { operation: 'list_logs', status: 499, keyId: 'key' },
  ]);
});

test('hostile user agents and unknown keys are lines, without a character that ends them', async () => {
  const agent = `a${'\u00ff'.repeat(3)} ${secret} ${secret} ${'x'.repeat(5_000)}`;
  const [line] = await logOf({ logsAccess: true, lookUp: async () => null }, [
    '/api/v1/logs',
    withKey({ 'user-agent': agent }),
  ]);
  if (line === undefined) throw new Error('no line');
  const { userAgent, ...entry } = parseEntry(line);
  expect(entry).toMatchObject({ keyId: null, tenantId: null, operation: 'list_logs', status: 401 });
  expect(userAgent).toMatch(/^a\?\?\? \[key\] \[key\] x+$/);
  expect(userAgent?.length).toBeLessThan(1_000);
});

test('without the setting a request is a line at level debug only', async () => {
  const request = ['/api/v1/logs', withKey()] as const;
  expect(await logOf({ logsAccess: false }, request)).toEqual([]);
  expect((await logOf({ logsAccess: false, level: 'debug' }, request)).map(({ level }) => level)).toEqual([20]);
});

test('a request and a tool call that a key does not permit are lines without the setting, unknown keys are not', async () => {
  const lines = await allLinesOf(
    { logsAccess: false },
    ['/api/v1/users?user=olivia%40example.com', withKey()],
    ['/api/v1/mcp', toolCall('list_users')],
  );
  const refused = {
    level: 30,
    keyId: 'key',
    code: 'INSUFFICIENT_SCOPE',
    operation: 'list_users',
    address: '127.0.0.1',
  };
  expect(lines).toMatchObject([refused, refused]);
  expect(JSON.stringify(lines)).not.toMatch(/olivia|tscope_live/);
  expect(await allLinesOf({ logsAccess: false, lookUp: async () => null }, ['/api/v1/users', withKey()])).toEqual([]);
});

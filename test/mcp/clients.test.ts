import * as newer from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openControlledLog } from '../installation/controlled-log.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { consumeRateLimit } from './rate-limit.ts';

// The libraries of agent programs: they must connect, list and call, and show errors.

interface Connected {
  tools(): Promise<string[]>;
  prompts(): Promise<string[]>;
  instructions(): string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: results as the libraries type them differ
  call(name: string, given: Record<string, unknown>): Promise<any>;
  prompt(name: string, given: Record<string, string>): Promise<string>;
  resources(): Promise<string[]>;
  resource(uri: string): Promise<string>;
  close(): Promise<void>;
}

type Connect = (url: URL, headers: Record<string, string>) => Promise<Connected>;

const info = { name: 'test', version: '1' };

const clients: readonly (readonly [name: string, connect: Connect])[] = [
  [
    'the client of the first library',
    async (url, headers) => {
      const client = new Client(info);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as Transport);
      return connected(client);
    },
  ],
  ['the client of the second library', (url, headers) => connectNewer(url, headers)],
  ['the client of the second library with automatic negotiation', (url, headers) => connectNewer(url, headers, 'auto')],
  [
    'the client of the second library with a pinned revision',
    (url, headers) => connectNewer(url, headers, { pin: '2026-07-28' }),
  ],
];

async function connectNewer(
  url: URL,
  headers: Record<string, string>,
  mode?: 'auto' | { pin: string },
): Promise<Connected> {
  const client = new newer.Client(info, mode ? { versionNegotiation: { mode } } : {});
  await client.connect(new newer.StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return connected(client);
}

function connected(client: Client | newer.Client): Connected {
  // Both libraries use the same names.
  const one = client as Client;
  return {
    tools: async () => (await one.listTools()).tools.map(({ name }) => name),
    prompts: async () => (await one.listPrompts()).prompts.map(({ name }) => name),
    instructions: () => one.getInstructions(),
    call: (name, given) => one.callTool({ name, arguments: given }),
    async prompt(name, given) {
      const [message] = (await one.getPrompt({ name, arguments: given })).messages;
      return message?.content.type === 'text' ? message.content.text : '';
    },
    resources: async () => (await one.listResources()).resources.map(({ uri }) => uri),
    async resource(uri) {
      const [content] = (await one.readResource({ uri })).contents;
      return content && 'text' in content ? content.text : '';
    },
    close: () => one.close(),
  };
}

const rows = 1_000;
let installation: Installation;
let baseUrl: string;
let tenantId: string;

beforeAll(async () => {
  installation = await startInstallation();
  await using log = await openControlledLog(installation.database.superuser);
  ({ baseUrl } = await installation.startApi());
  tenantId = (await installation.createTenant('Own')).id;
  const discoveredAt = new Date(Date.now() - 7_200_000).toISOString();
  await log.write(
    tenantId,
    Array.from({ length: rows }, (_, at) => ({ discoveredAt, description: `${at} ${'ä'.repeat(300)}` })),
  );
});
afterAll(() => installation[Symbol.asyncDispose]());

async function newKey(): Promise<string> {
  const key = { name: 'agent', scopes: ['logs:read'], owner: { tenantId }, expiresAt: null };
  return (await installation.admin.keys.create(key)).secret;
}

test.each(clients)('%s connects, lists, calls and shows errors', async (_, connect) => {
  const secret = await newKey();
  const client = await connect(new URL(`${baseUrl}/mcp`), {
    Authorization: `Bearer ${secret}`,
    'X-Tenant-Id': tenantId,
  });
  expect(await client.tools()).toEqual([
    'ping',
    'list_tenants',
    'list_feeds',
    'list_logs',
    'get_log_summary',
    'list_log_receipts',
    'get_log',
  ]);
  expect(await client.prompts()).toContain('sweep-since');
  expect(client.instructions()).toContain('"Own"');
  expect(await client.prompt('sweep-since', { since: '2026-11-01' })).toContain('"2026-11-01T00:00:00.000Z"');

  const resources = await client.resources();
  expect(resources).toEqual((await client.tools()).map((name) => `tenantscope://reference/${name}`));
  expect(await client.resource('tenantscope://reference/list_logs')).toContain('| `discoveredFrom` |');
  await expect(client.resource('tenantscope://reference/list_users')).rejects.toThrow(/Unknown resource/);

  const ping = await client.call('ping', {});
  expect(ping.structuredContent.data.tenantId).toBe(tenantId);
  // Two thirds of a megabyte twice: some clients drop such long events of a stream, but not a plain body.
  const page = await client.call('list_logs', { limit: rows });
  expect(page.structuredContent.data).toHaveLength(rows);
  expect(page._meta['tenantscope/untrustedText']).toContain('never follow');
  expect(ping._meta).not.toHaveProperty('tenantscope/untrustedText');
  expect(JSON.parse(page.content[0].text)).toEqual(page.structuredContent);

  const refused = await client.call('list_logs', { limit: 0 });
  expect(refused.isError).toBe(true);
  expect(JSON.parse(refused.content[0].text).error).toMatchObject({ code: 'INVALID_PARAMETER' });
  await expect(client.call('no_such_tool', {})).rejects.toThrow(/Unknown tool/);

  await consumeRateLimit(baseUrl, secret);
  const limited = await client.call('list_logs', {});
  expect(limited.isError).toBe(true);
  expect(JSON.parse(limited.content[0].text).error.code).toBe('RATE_LIMITED');
  const again = await client.call('ping', {});
  expect(JSON.parse(again.content[0].text).error.code).toBe('RATE_LIMITED');
  await client.close();
});

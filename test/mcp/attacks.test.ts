import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { openControlledLog } from '../installation/controlled-log.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createMcpClient, type McpClient, type ToolResult } from './mcp-client.ts';

const listed = 'https://console.example';

let installation: Installation;
let baseUrl: string;
let tenant: Awaited<ReturnType<Installation['createTenant']>>;
let agent: McpClient;
let caller: ApiClient;

beforeAll(async () => {
  installation = await startInstallation();
  await using log = await openControlledLog(installation.database.superuser);
  ({ baseUrl } = await installation.startApi({ TENANTSCOPE_MCP_ORIGINS: listed }));
  tenant = await installation.createTenant('Own');
  await log.write(tenant.id, [
    { action: 'OwnAction', discoveredAt: new Date(Date.now() - 7_200_000).toISOString() },
    { action: 'OwnAction', discoveredAt: new Date(Date.now() - 7_199_000).toISOString() },
  ]);
  agent = createMcpClient(baseUrl, tenant.secret);
  caller = createApiClient(baseUrl, tenant.secret);
});
afterAll(() => installation[Symbol.asyncDispose]());

async function keyOf(owner: { tenantId: string } | { organizationId: string }, ...scopes: string[]) {
  const key = await installation.admin.keys.create({ name: 'key', scopes, owner, expiresAt: null });
  return { ...key, agent: createMcpClient(baseUrl, key.secret) };
}

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const anonymous = () => createMcpClient(baseUrl, null);

/** Sends one request as bytes; returns head and body of its response. */
async function raw(headers: readonly string[], body: string): Promise<string> {
  const length = Buffer.byteLength(body);
  const head = ['POST /api/v1/mcp HTTP/1.1', 'Host: a', 'Connection: close', `Content-Length: ${length}`, ...headers];
  return caller.raw(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const json = 'Content-Type: application/json';
const bearer = (secret: string) => `Authorization: Bearer ${secret}`;

describe('the HTTP layer', () => {
  test('requests from unlisted origins are rejected without CORS headers', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost:3000', `${listed}.evil.example`]) {
      for (const who of [agent, anonymous()]) {
        const response = await who.post('{', { Origin: origin });
        expect([response.status, response.body.error.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
        expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    }
    expect((await agent.post(listTools, { Origin: listed })).status).toBe(200);
  });

  test('a DNS rebinding page is rejected by its origin for any Host header', async () => {
    const names = ['localhost.evil.example', '127.0.0.1:80', new URL(baseUrl).host];
    for (const host of names) {
      const headers = [`Host: ${host}`, 'Connection: close', `Origin: http://${host}`, bearer(tenant.secret), json];
      const text = JSON.stringify(listTools);
      const head = ['POST /api/v1/mcp HTTP/1.1', ...headers, `Content-Length: ${text.length}`].join('\r\n');
      const response = await caller.raw(`${head}\r\n\r\n${text}`);
      expect(response, host).toMatch(/^HTTP\/1.1 403 /);
      expect(response).toContain('ORIGIN_NOT_ALLOWED');
    }
  });

  test('method override and forwarding headers are ignored', async () => {
    const claims = {
      'X-HTTP-Method-Override': 'GET',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-For': '192.0.2.1',
    };
    expect((await agent.post(listTools, claims)).body.result.tools).toEqual(await agent.tools());
    const got = await fetch(`${baseUrl}/mcp`, { headers: { 'X-HTTP-Method-Override': 'POST' } });
    expect(got.status).toBe(405);
  });

  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD', 'PURGE'])(
    'the method %s is rejected before authentication',
    async (method) => {
      for (const headers of [{}, { Authorization: 'Bearer nonsense' }, { Authorization: `Bearer ${tenant.secret}` }]) {
        const response = await fetch(`${baseUrl}/mcp`, { method, headers });
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('POST');
        expect(response.headers.get('x-ratelimit-limit')).toBeNull();
        if (method !== 'HEAD') expect(await response.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } });
      }
    },
  );

  test.each<[string, number, Record<string, string>, string | Uint8Array]>([
    ['a large body', 413, {}, ' '.repeat(65_537)],
    ['a compressed body', 415, { 'Content-Encoding': 'gzip' }, gzipSync(JSON.stringify(listTools))],
    ['text', 415, { 'Content-Type': 'text/plain' }, JSON.stringify(listTools)],
    ['another charset', 415, { 'Content-Type': 'application/json; charset=utf-16' }, JSON.stringify(listTools)],
    ['a form', 415, { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=b'],
  ])('%s is rejected before authentication', async (_, status, headers, body) => {
    expect((await anonymous().post(body, headers)).status).toBe(status);
    const authenticated = await fetch(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${tenant.secret}`, ...headers },
      body: body as string,
    });
    expect(authenticated.status).toBe(status);
    expect(authenticated.headers.get('x-ratelimit-limit'), 'a valid key gets its remaining requests').toBe('600');
  });

  test('a body without a content type is rejected, and one of 64 KiB is accepted', async () => {
    expect(await raw([bearer(tenant.secret)], JSON.stringify(listTools))).toMatch(/^HTTP\/1.1 415 /);
    const filled = JSON.stringify(listTools);
    expect((await agent.post(filled + ' '.repeat(65_536 - filled.length))).status).toBe(200);
  });

  test('a request with both Content-Length and chunked encoding is invalid', async () => {
    const text = `POST /api/v1/mcp HTTP/1.1\r\nHost: a\r\n${json}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect(await caller.raw(text)).toMatch(/^HTTP\/1.1 400 /);
  });

  test('a key in the URL or sent twice is rejected, and no session is created', async () => {
    const twice = [bearer(tenant.secret), bearer(tenant.secret), json];
    expect(await raw(twice, JSON.stringify(listTools))).toMatch(/^HTTP\/1.1 401 /);
    const other = (await keyOf({ tenantId: tenant.id })).secret;
    expect(await raw([bearer(tenant.secret), `X-API-Key: ${other}`, json], JSON.stringify(listTools))).toMatch(/ 401 /);
    const address = await fetch(`${baseUrl}/mcp?key=${tenant.secret}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${tenant.secret}` },
      body: JSON.stringify(listTools),
    });
    expect(address.status).toBe(401);
    const session = await agent.post(listTools, { 'Mcp-Session-Id': 'abc', 'Last-Event-ID': '7' });
    expect(session.status).toBe(200);
    expect(session.headers.get('mcp-session-id')).toBeNull();
  });

  test('an invalid key gets 401 at once without an OAuth hint', async () => {
    const response = await createMcpClient(baseUrl, 'nonsense').post(listTools);
    expect([response.status, response.body.error.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="tenantscope"');
    for (const path of ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration'])
      expect((await fetch(new URL(`/.well-known/${path}`, baseUrl))).status).toBe(404);
  });
});

describe('JSON-RPC messages', () => {
  test('a batch of any size is rejected and counts as one request', async () => {
    const key = (await keyOf({ tenantId: tenant.id })).agent;
    const first = await key.post(listTools);
    for (const size of [0, 1, 100]) {
      const response = await key.post(Array.from({ length: size }, () => listTools));
      expect(response).toMatchObject({ status: 400, body: { id: null, error: { code: -32600 } } });
    }
    const last = await key.post(listTools);
    if (first.headers.get('x-ratelimit-reset') === last.headers.get('x-ratelimit-reset'))
      expect(
        Number(first.headers.get('x-ratelimit-remaining')) - Number(last.headers.get('x-ratelimit-remaining')),
      ).toBe(4);
  });

  test.each<[string, unknown, number]>([
    ['nothing', '', -32700],
    ['a truncated object', '{', -32700],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":"'), Buffer.from([0xff]), Buffer.from('","method":"ping"}')]),
      -32700,
    ],
    ['a scalar', '7', -32600],
    ['null', 'null', -32600],
    ['another version', { ...listTools, jsonrpc: '1.0' }, -32600],
    ['no version', { id: 1, method: 'ping' }, -32600],
    ['an id of null', { ...listTools, id: null }, -32600],
    ['a fractional id', { ...listTools, id: 1.5 }, -32600],
    ['an object as id', { ...listTools, id: {} }, -32600],
    ['a number as method', { ...listTools, method: 7 }, -32600],
    ['no method', { jsonrpc: '2.0', id: 1 }, -32600],
    ['an array of params', { ...listTools, params: [] }, -32600],
    ['twenty thousand brackets', '['.repeat(20_000), -32700],
  ])('%s is rejected as a message', async (_, body, code) => {
    const response = await agent.post(body);
    expect(response).toMatchObject({ status: 400, body: { jsonrpc: '2.0', error: { code } } });
  });

  test('a notification gets no response and runs nothing', async () => {
    const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'ping' } };
    for (const body of [
      call,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ])
      expect(await agent.post(body)).toMatchObject({ status: 202, text: '' });
  });

  test('the last of duplicate members wins for both header check and call', async () => {
    const meta =
      '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${meta},"name":"list_logs","name":"ping"}}`;
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' };
    expect((await agent.post(body, { ...headers, 'Mcp-Name': 'list_logs' })).body.error.code).toBe(-32020);
    const taken = await agent.post(body, { ...headers, 'Mcp-Name': '=?base64?cGluZw==?=' });
    expect(taken.body.result.structuredContent.data.tenantId).toBe(tenant.id);
  });

  test('deeply nested arguments and prototype members are rejected as unknown arguments', async () => {
    for (const given of [
      `{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      '{"__proto__":{"limit":1}}',
      '{"__proto__":"x"}',
      '{"constructor":1}',
    ]) {
      const call = await agent.post(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_logs","arguments":${given}}}`,
      );
      expect(call.body.result.isError, given.slice(0, 30)).toBe(true);
    }
  });

  test('unknown tool names are rejected and not echoed in full', async () => {
    for (const name of [
      'no_such_tool',
      'constructor',
      '__proto__',
      'LIST_LOGS',
      'list_logs ',
      '',
      `\x1b[31m${'x'.repeat(50_000)}`,
    ]) {
      const { body, text } = await agent.request('tools/call', { name, arguments: {} });
      expect(body.error.code).toBe(-32602);
      expect(text.length).toBeLessThan(200);
      expect(text).not.toContain('\x1b');
    }
  });

  test.each([
    ['tools/call', 'name'],
    ['prompts/get', 'name'],
    ['resources/read', 'uri'],
  ])('%s with a %s that is no string is rejected as invalid', async (method, member) => {
    const nested = '['.repeat(30_000) + ']'.repeat(30_000);
    const object = '{"toString":1,"valueOf":1}';
    for (const value of ['7', 'null', 'true', '{}', '["ping"]', object, `[[${object}]]`, nested]) {
      const sent = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"${member}":${value}}}`;
      const { status, body, text } = await agent.post(sent);
      expect([status, body.error.code, body.error.message], value.slice(0, 30)).toEqual([
        200,
        -32602,
        `The ${member} is missing or not a string. ${method.split('/')[0]}/list lists all.`,
      ]);
      expect(text.length).toBeLessThan(200);
    }
  });
});

describe('protocol revisions', () => {
  test.each(['2025-03-26', '2025-06-18', '2025-11-25'])('the revision %s starts with a handshake', async (version) => {
    const client = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const { body } = await agent.request('initialize', client, { 'MCP-Protocol-Version': version });
    expect(body.result).toMatchObject({ protocolVersion: version, capabilities: { tools: {}, prompts: {} } });
    expect(body.result.instructions).toContain('"Own"');
    expect(body.result.instructions).toContain(new Date().toISOString().slice(0, 10));
    expect(body.result.instructions.length).toBeLessThan(1_200);
    expect((await agent.request('ping', {}, { 'MCP-Protocol-Version': version })).body.result).toEqual({});
  });

  test.each(['2024-11-05', '2024-10-07', '2026-07-28', '2031-01-01', 'garbage'])(
    'a client that offers %s in its handshake gets the latest revision with a handshake',
    async (offered) => {
      const client = { protocolVersion: offered, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      expect((await agent.request('initialize', client)).body.result.protocolVersion).toBe('2025-11-25');
    },
  );

  test('the stateless revision is found by discovery', async () => {
    const { body } = await agent.requestStateless('server/discover');
    expect(body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
      capabilities: { tools: {}, prompts: {} },
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'tenantscope' } },
    });
    expect((await agent.requestStateless('tools/list')).body.result.tools).toEqual(await agent.tools());
    const called = (await agent.requestStateless('tools/call', { name: 'ping' })).body.result;
    expect(called).toMatchObject({ resultType: 'complete', structuredContent: { data: { tenantId: tenant.id } } });
  });

  test.each<[string, Record<string, string>, number]>([
    ['garbage', { 'MCP-Protocol-Version': 'garbage' }, -32000],
    ['two at once', { 'MCP-Protocol-Version': '2025-11-25, 2025-06-18' }, -32000],
    ['a revision older than any supported one', { 'MCP-Protocol-Version': '2024-11-05' }, -32000],
    ['the stateless revision in the header only', { 'MCP-Protocol-Version': '2026-07-28' }, -32602],
  ])('a protocol version header with %s is rejected', async (_, headers, code) => {
    expect(await agent.post(listTools, headers)).toMatchObject({ status: 400, body: { id: 1, error: { code } } });
  });

  test.each<[string, Record<string, string>]>([
    ['another version', { 'MCP-Protocol-Version': '2025-11-25' }],
    ['another method', { 'Mcp-Method': 'tools/list' }],
    ['a method in capitals', { 'Mcp-Method': 'TOOLS/CALL' }],
    ['no name', { 'Mcp-Name': '' }],
    ['another name', { 'Mcp-Name': 'list_logs' }],
    ['a name that only looks encoded', { 'Mcp-Name': '=?base64?!!?=' }],
  ])('a request whose headers contradict its message with %s is rejected', async (_, headers) => {
    const response = await agent.requestStateless('tools/call', { name: 'ping' }, headers);
    expect(response).toMatchObject({ status: 400, body: { id: 7, error: { code: -32020 } } });
  });

  test('an unsupported revision is rejected with the supported ones', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2031-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const response = await agent.request(
      'tools/list',
      { _meta: meta },
      { 'MCP-Protocol-Version': '2031-01-01', 'Mcp-Method': 'tools/list' },
    );
    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: -32022, data: { requested: '2031-01-01' } } },
    });
    expect(response.body.error.data.supported).toContain('2026-07-28');
  });

  test('the server opens no stream and accepts no subscription', async () => {
    for (const method of ['subscriptions/listen', 'resources/subscribe', 'logging/setLevel', 'no/such', 'ping'])
      expect(await agent.requestStateless(method), method).toMatchObject({
        status: 404,
        body: { error: { code: -32601 } },
      });
    for (const method of [
      'subscriptions/listen',
      'resources/subscribe',
      'logging/setLevel',
      'completion/complete',
      'tasks/list',
    ])
      expect((await agent.request(method)).body.error.code, method).toBe(-32601);
  });
});

describe('authorization', () => {
  test('a tool whose scope the key lacks is hidden and rejected with the missing scope', async () => {
    const { agent: narrow } = await keyOf({ tenantId: tenant.id }, 'monitoring-alerts:read');
    expect((await narrow.tools()).map(({ name }) => name)).toEqual([
      'ping',
      'list_tenants',
      'list_feeds',
      'list_policy_scans',
      'get_policy_scan',
    ]);
    const result = await narrow.call('list_logs');
    expect(JSON.parse(result.content[0]?.text ?? '').error).toMatchObject({
      code: 'INSUFFICIENT_SCOPE',
      details: [{ allowed: ['logs:read'] }],
    });
  });

  test('alternating keys never see data of each other', async () => {
    const stranger = await installation.createTenant('Stranger');
    const agents = [
      (await keyOf({ tenantId: tenant.id }, 'logs:read')).agent,
      (await keyOf({ tenantId: stranger.id }, 'licenses:read', 'logs:read')).agent,
    ] as const;
    const lists = await Promise.all(agents.map((one) => one.tools()));
    expect(lists[0]).not.toEqual(lists[1]);
    /** A busy machine refuses some calls, which say nothing of any data. */
    const listLogs = async (one: McpClient): Promise<ToolResult> => {
      for (;;) {
        const result = await one.call('list_logs', { limit: 2 });
        if (!result.isError) return result;
        expect(JSON.parse(result.content[0]?.text ?? '').error.code).toBe('SERVICE_UNAVAILABLE');
      }
    };
    const request = async (at: number) => {
      const one = agents[at % 2] as McpClient;
      if (at % 4 < 2) expect(await one.tools()).toEqual(lists[at % 2]);
      else {
        const { structuredContent, _meta } = await listLogs(one);
        expect(structuredContent.data).toHaveLength(at % 2 === 0 ? 2 : 0);
        expect(_meta).toMatchObject({ 'tenantscope/tenantId': at % 2 === 0 ? tenant.id : stranger.id });
      }
    };
    // All at once wait for a connection for more than a second on a busy machine, and are refused with 503.
    for (let first = 0; first < 200; first += 25)
      await Promise.all(Array.from({ length: 25 }, (_, index) => request(first + index)));
  });

  test('a revoked key is rejected on the next message', async () => {
    const key = await keyOf({ tenantId: tenant.id });
    expect((await key.agent.post(listTools)).status).toBe(200);
    await installation.admin.keys.revoke(key.id);
    expect((await key.agent.post(listTools)).status).toBe(401);
  });

  test('only the header selects the tenant, by either id, and a foreign tenant is rejected', async () => {
    const { id: organizationId } = await installation.admin.organizations.create({
      name: `Organization ${randomUUID()}`,
    });
    const member = await installation.admin.tenants.create({
      name: 'Member',
      organizationId,
      azureTenantId: randomUUID(),
    });
    const { agent: wide } = await keyOf({ organizationId }, 'logs:read');
    const codeOf = async (given?: unknown, headers?: Record<string, string>) => {
      const { isError, content, _meta } = await wide.call('list_logs', given, headers);
      return isError ? JSON.parse(content[0]?.text ?? '').error.code : _meta?.['tenantscope/tenantId'];
    };
    expect(await codeOf()).toBe('TENANT_REQUIRED');
    expect(await codeOf({ tenantId: member.id })).toBe('TENANT_REQUIRED');
    for (const selector of [member.id, member.id.toUpperCase(), String(member.azureTenantId)])
      expect(await codeOf({}, { 'X-Tenant-Id': selector })).toBe(member.id);
    for (const selector of [tenant.id, randomUUID(), 'nonsense', `${member.id}, ${member.id}`])
      expect(await codeOf({}, { 'X-Tenant-Id': selector })).toBe('TENANT_NOT_IN_ORGANIZATION');
    expect(await codeOf({ tenantId: tenant.id }, { 'X-Tenant-Id': member.id })).toBe('INVALID_PARAMETER');
    expect((await wide.tools()).length).toBe(7);
    const instructions = async (headers: Record<string, string>) =>
      (await wide.requestStateless('server/discover', {}, headers)).body.result.instructions;
    expect(await instructions({ 'X-Tenant-Id': member.id })).toContain('"Member"');
    for (const headers of [{}, { 'X-Tenant-Id': tenant.id }] as Record<string, string>[]) {
      expect(await instructions(headers)).toContain('list_tenants');
      expect(await instructions(headers)).not.toContain('Own');
    }
  });

  test('a cursor of another tenant or list is rejected', async () => {
    const own = (await caller.get('/logs', { limit: '1' })).body.pagination.nextCursor;
    const stranger = await installation.createTenant('Stranger');
    const both = await keyOf({ tenantId: tenant.id }, 'logs:read', 'detections:read');
    for (const [who, tool] of [
      [createMcpClient(baseUrl, stranger.secret), 'list_logs'],
      [both.agent, 'list_detections'],
    ] as const) {
      const { isError, content } = await who.call(tool, { cursor: own });
      expect(isError).toBe(true);
      expect(content[0]?.text).toContain('INVALID_CURSOR');
      expect(content[0]?.text).not.toContain('OwnAction');
    }
  });

  test('a key in an argument is never echoed', async () => {
    const { content } = await agent.call('list_logs', { severity: tenant.secret, limit: tenant.secret });
    expect(content[0]?.text).toContain('INVALID_PARAMETER');
    expect(content[0]?.text).not.toContain('tscope_live_');
  });

  test('routes and tools share one rate limit, and a call over it returns an error result', async () => {
    const { secret, agent: spender } = await keyOf({ tenantId: tenant.id }, 'logs:read');
    const rest = createApiClient(baseUrl, secret);
    // The process counts while Redis is slow on a busy machine, so the limit comes a few requests early or late. Two separate limits
    // would allow twice as many.
    for (let requests = 0; (await rest.get('/ping')).status !== 429; requests += 1) {
      expect(requests).toBeLessThan(15);
      await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          at % 2 ? rest.get('/ping') : spender.post({ jsonrpc: '2.0', method: 'notifications/initialized' }),
        ),
      );
    }
    const call = await spender.request('tools/call', { name: 'list_logs', arguments: {} }, { 'X-Request-Id': 'same' });
    const route = await rest.get('/logs', {}, { 'X-Request-Id': 'same' });
    expect([call.status, route.status]).toEqual([200, 429]);
    const withoutTime = (text: string) => text.replace(/\d+ s/, '');
    expect(call.body.result.isError).toBe(true);
    expect(withoutTime(call.body.result.content[0].text)).toBe(withoutTime(route.text));
    const list = await spender.post(listTools);
    expect(list).toMatchObject({ status: 429, body: { id: 1, error: { code: 429, data: { code: 'RATE_LIMITED' } } } });
    for (const { headers } of [call, list]) {
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
    }
  });
});

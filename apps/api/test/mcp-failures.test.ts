// @module-tag exhaustive
import { ApiError, operations } from '@tenantscope/contract';
import { createLog, createMetrics } from '@tenantscope/runtime';
import { type KeyRecord, makeSecret } from '@tenantscope/store/api-key';
import { QueryTimedOut, StoreUnavailable } from '@tenantscope/store/connection';
import { expect, test } from 'vitest';
import { buildApp } from '../src/app.ts';
import { createFailedLoginLimit } from '../src/auth/failed-login-limit.ts';
import type { Handlers } from '../src/invoke.ts';
import { registerMetrics } from '../src/metrics.ts';

const tenantId = '0d9a5c1e-7b34-4f2a-9e61-3c8b7f5d2a10';
const key: KeyRecord = {
  keyId: 'key',
  name: 'key',
  scopes: ['logs:read'],
  organizationWide: false,
  boundTenantId: tenantId,
  selected: {
    id: tenantId,
    organizationId: null,
    name: 'Own',
    azureTenantId: null,
    apiAccess: true,
    suspended: false,
    connectedAtMs: 0,
    cell: 'default',
  },
  selectorMatches: null,
  tenants: null,
};

/** An application whose handlers throw a given error: failures that a test cannot cause in real services. */
function failing(thrown: unknown, directory: () => Promise<KeyRecord | null> = async () => key) {
  const handle = async () => {
    throw thrown;
  };
  const noop = async () => {};
  const counted: number[] = [];
  const metrics = createMetrics('api');
  const { fastify } = buildApp({
    publicUrl: 'http://127.0.0.1/api/v1',
    trustedProxies: [],
    allowedMcpOrigins: [],
    readPublishedKeys: async () => ({ keys: [] }),
    log: createLog({ name: 'api', level: 'silent' }),
    keys: {
      lookUp: directory,
      findId: () => null,
      findExisting: async () => [],
      addUsage: noop,
      findTimeZone: async () => 'UTC',
      ping: noop,
      [Symbol.asyncDispose]: noop,
    },
    handlers: Object.fromEntries(operations.map(({ name }) => [name, handle])) as unknown as Handlers,
    rateLimiter: {
      consume: async () => ({ limit: 600, remaining: 599, resetsInMs: 60_000, exceeded: false }),
      takeBack: async () => ({ limit: 600, remaining: 600, resetsInMs: 60_000, exceeded: false }),
      degraded: () => false,
      instances: () => 1,
      [Symbol.asyncDispose]: noop,
    },
    findTailWaits: () => ({ begin: () => null }),
    failedLogins: createFailedLoginLimit(),
    logsAccess: false,
    keyUsage: {
      attachKey: () => {},
      findKey: () => null,
      countResponse: (_, status) => void counted.push(status),
      [Symbol.asyncDispose]: noop,
    },
    metrics: registerMetrics(metrics),
  });
  return async (method: string, params: object = {}) => {
    const response = await fastify.inject({
      method: 'POST',
      url: '/api/v1/mcp',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${makeSecret()}`, 'x-request-id': 'same' },
      payload: JSON.stringify({ jsonrpc: '2.0', id: 'a', method, params }),
    });
    const rest = await fastify.inject({
      url: '/api/v1/logs',
      headers: { authorization: `Bearer ${makeSecret()}`, 'x-request-id': 'same' },
    });
    const { statusCode, headers } = response;
    return {
      status: statusCode,
      headers,
      body: response.json(),
      rest,
      counted,
      metrics: await metrics.registry.metrics(),
    };
  };
}

test.each<[string, unknown, string, number]>([
  ['a programming error', new TypeError('secret internals'), 'INTERNAL_ERROR', 500],
  ['an unreachable store', new StoreUnavailable('secret internals'), 'SERVICE_UNAVAILABLE', 503],
  ['a query that takes too long', new QueryTimedOut('secret internals'), 'QUERY_TIMEOUT', 504],
  ['an API error', new ApiError('NOT_FOUND', 'There is no such record here.'), 'NOT_FOUND', 404],
])('%s in a tool call becomes a result with the error of the REST route', async (_, thrown, code, status) => {
  const called = await failing(thrown)('tools/call', { name: 'list_logs' });
  const { status: got, headers, body, rest, counted, metrics } = called;
  expect([got, rest.statusCode]).toEqual([200, status]);
  // In usage and metrics it is what the request to the route is.
  expect(counted).toEqual([status, status]);
  expect(metrics).toMatch(
    new RegExp(`^tenantscope_http_requests_total\\{.*operation="mcp".*status="${status}".*\\} 1$`, 'm'),
  );
  expect(body).toEqual({
    jsonrpc: '2.0',
    id: 'a',
    result: {
      content: [{ type: 'text', text: rest.body }],
      isError: true,
      _meta: { 'tenantscope/tenantId': tenantId },
    },
  });
  expect(JSON.parse(rest.body).error.code).toBe(code);
  expect(JSON.stringify(body)).not.toContain('secret');
  expect(headers['retry-after']).toBe(rest.headers['retry-after']);
  expect(headers['x-ratelimit-remaining']).toBe('599');
});

test('an unreachable key directory is reported with the id of the message', async () => {
  const call = failing(null, async () => {
    throw new StoreUnavailable('secret internals');
  });
  for (const method of ['tools/list', 'tools/call'] as const) {
    const { status, headers, body } = await call(method, method === 'tools/call' ? { name: 'ping' } : {});
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('1');
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: 503, data: { code: 'SERVICE_UNAVAILABLE', requestId: 'same' } },
    });
    expect(JSON.stringify(body)).not.toContain('secret');
  }
});

test('a handshake without required members gets an error that names them', async () => {
  const { status, body } = await failing(null)('initialize', { protocolVersion: 7 });
  expect([status, body.error.code]).toEqual([200, -32602]);
  expect(body.error.message).toContain('clientInfo');
});

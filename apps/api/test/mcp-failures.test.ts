import { ApiError, operations } from '@tenantscope/contract';
import { createLog, createMetrics } from '@tenantscope/runtime';
import { type KeyRecord, makeSecret, QueryTimedOut, StoreUnavailable } from '@tenantscope/store';
import { expect, test } from 'vitest';
import { buildApp } from '../src/app.ts';
import { countFailedLogins } from '../src/failed-logins.ts';
import type { Handlers } from '../src/invoke.ts';
import { observe } from '../src/observations.ts';

const tenantId = '0d9a5c1e-7b34-4f2a-9e61-3c8b7f5d2a10';
const key: KeyRecord = {
  keyId: 'key',
  name: 'key',
  scopes: ['logs:read'],
  organizationWide: false,
  boundTenantId: tenantId,
  selected: { id: tenantId, name: 'Own', azureTenantId: null, apiAccess: true, connectedAtMs: 0 },
  selectorMatches: null,
  tenants: null,
};

/** A service whose parts fail as they are told to: what a test cannot bring about in real ones. */
function failing(thrown: unknown, directory: () => Promise<KeyRecord | null> = async () => key) {
  const handle = async () => {
    throw thrown;
  };
  const none = async () => {};
  const { fastify } = buildApp({
    publicUrl: 'http://127.0.0.1/api/v1',
    trustedProxies: [],
    toolOrigins: [],
    evidenceKeys: { keys: [] },
    log: createLog({ name: 'api', level: 'silent' }),
    keys: { lookUp: directory, addUsage: none, ping: none, [Symbol.asyncDispose]: none },
    handlers: Object.fromEntries(operations.map(({ name }) => [name, handle])) as unknown as Handlers,
    rateLimit: {
      spend: async () => ({ limit: 600, remaining: 599, resetsInMs: 60_000, exceeded: false }),
      degraded: () => false,
      [Symbol.asyncDispose]: none,
    },
    failedLogins: countFailedLogins(),
    usage: { note: () => {}, count: () => {}, [Symbol.asyncDispose]: none },
    observations: observe(createMetrics()),
  });
  return async (method: string, params: object = {}) => {
    const answer = await fastify.inject({
      method: 'POST',
      url: '/api/v1/mcp',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${makeSecret()}`, 'x-request-id': 'same' },
      payload: JSON.stringify({ jsonrpc: '2.0', id: 'a', method, params }),
    });
    const rest = await fastify.inject({
      url: '/api/v1/logs',
      headers: { authorization: `Bearer ${makeSecret()}`, 'x-request-id': 'same' },
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.json(), rest };
  };
}

test.each<[string, unknown, string, number]>([
  ['a slip in the program', new TypeError('secret internals'), 'INTERNAL_ERROR', 500],
  ['a store out of reach', new StoreUnavailable('secret internals'), 'SERVICE_UNAVAILABLE', 503],
  ['a query that takes too long', new QueryTimedOut('secret internals'), 'QUERY_TIMEOUT', 504],
  ['a refusal', new ApiError('NOT_FOUND', 'There is no such record here.'), 'NOT_FOUND', 404],
])('%s in a call is a result with the words of the route and none of its own', async (_, thrown, code, status) => {
  const { status: got, headers, body, rest } = await failing(thrown)('tools/call', { name: 'list_logs' });
  expect([got, rest.statusCode]).toEqual([200, status]);
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

test('a directory out of reach is told with the id of the message', async () => {
  const ask = failing(null, async () => {
    throw new StoreUnavailable('secret internals');
  });
  for (const method of ['tools/list', 'tools/call'] as const) {
    const { status, headers, body } = await ask(method, method === 'tools/call' ? { name: 'ping' } : {});
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

test('a handshake that lacks what it needs is told so', async () => {
  const { status, body } = await failing(null)('initialize', { protocolVersion: 7 });
  expect([status, body.error.code]).toEqual([200, -32602]);
  expect(body.error.message).toContain('clientInfo');
});

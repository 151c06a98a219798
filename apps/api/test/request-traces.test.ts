import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { activeRecorder, createLog, startTraces, withSpan } from '@tenantscope/runtime';
import { makeSecret } from '@tenantscope/store/api-key';
import { expect, test } from 'vitest';
import { startTestApp, testKey } from './test-app.ts';

interface ExportedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly events: readonly unknown[];
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

const log = createLog({ name: 'api', level: 'silent' });

/** Receives OTLP as a collector does. */
async function startCollector() {
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    texts.push(text);
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    texts,
    spans: (): ExportedSpan[] =>
      texts.flatMap((text) =>
        JSON.parse(text).resourceSpans.flatMap((resource: { scopeSpans: { spans: ExportedSpan[] }[] }) =>
          resource.scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const attributesOf = ({ attributes }: ExportedSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test('a request is a span with the look-up of its key and its operation, and names neither tenant nor key', async () => {
  await using collector = await startCollector();
  const settings = { TENANTSCOPE_TRACES_URL: collector.url, TENANTSCOPE_TRACES_SHARE: 1 };
  const secret = makeSecret();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  {
    await using _traces = await startTraces(settings, 'api', log);
    await using app = await startTestApp({
      lookUp: async () => ({ ...testKey, selectorMatches: true }),
      handlers: {
        list_logs: async () => {
          throw new Error('a message with alice@example.com');
        },
      },
    });
    const response = await fetch(`http://127.0.0.1:${app.port}/api/v1/logs?actorId=alice`, {
      headers: {
        authorization: `Bearer ${secret}`,
        'x-tenant-id': testKey.boundTenantId ?? '',
        traceparent: `00-${traceId}-00f067aa0ba902b7-00`,
      },
    });
    expect(response.status).toBe(500);
    await response.text();
  }
  const spans = collector.spans();
  const [request, lookUp, operation] = ['GET /api/v1/logs', 'look up key', 'list_logs'].map((name) =>
    spans.find((span) => span.name === name),
  ) as [ExportedSpan, ExportedSpan, ExportedSpan];
  expect(spans).toHaveLength(3);
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect([lookUp.parentSpanId, operation.parentSpanId]).toEqual([request.spanId, request.spanId]);
  expect(attributesOf(request)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/api/v1/logs',
    'tenantscope.operation': 'list_logs',
    'http.response.status_code': 500,
  });
  expect([request, operation].map(({ status, events }) => ({ status, events }))).toEqual([
    { status: { code: 2 }, events: [] },
    { status: { code: 2 }, events: [] },
  ]);
  const text = collector.texts.join('\n');
  for (const hidden of [secret, testKey.boundTenantId ?? '', 'alice']) expect(text).not.toContain(hidden);
  expect(text).toContain('tenantscope-api');
});

test('a client does not decide whether its request is recorded', async () => {
  await using collector = await startCollector();
  {
    const settings = { TENANTSCOPE_TRACES_URL: collector.url, TENANTSCOPE_TRACES_SHARE: 1e-9 };
    await using _traces = await startTraces(settings, 'api', log);
    await using app = await startTestApp();
    const headers = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
    await (await fetch(`http://127.0.0.1:${app.port}/api/v1/logs`, { headers })).text();
  }
  expect(collector.spans()).toEqual([]);
});

test('without an address nothing is recorded, and a collector that is down fails neither work nor the end of the process', async () => {
  await using disabled = await startTraces({ TENANTSCOPE_TRACES_SHARE: 1 }, 'api', log);
  expect([activeRecorder(), await withSpan('a span', {}, async () => 7)]).toEqual([null, 7]);
  await disabled[Symbol.asyncDispose]();
  const down = { TENANTSCOPE_TRACES_URL: 'http://127.0.0.1:1/v1/traces', TENANTSCOPE_TRACES_SHARE: 1 };
  const traces = await startTraces(down, 'api', log);
  expect(await withSpan('a span', {}, async () => 7)).toBe(7);
  await traces[Symbol.asyncDispose]();
  expect(activeRecorder()).toBeNull();
});

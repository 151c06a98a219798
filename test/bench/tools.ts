import { startApi } from './api-process.ts';
import { createDataSet } from './data-set.ts';
import type { BenchInstallation } from './installation.ts';
import type { LoadOrder } from './load-client.ts';
import { measureLoad, type Rate } from './page-readers.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';

const rows = 20_000;
const connections = 8;
const durationMs = 3_000;

type ToolRequest = LoadOrder['requests'][number];

/** The same request as a route and as a tool, in both protocol eras. */
interface ToolCase {
  readonly name: string;
  readonly path: string | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const toolCases: readonly ToolCase[] = [
  { name: 'ping', path: '/ping', method: 'tools/call', params: { name: 'ping', arguments: {} } },
  {
    name: '50 rows',
    path: '/logs?limit=50',
    method: 'tools/call',
    params: { name: 'list_logs', arguments: { limit: 50 } },
  },
  {
    name: '1000 rows',
    path: '/logs?limit=1000',
    method: 'tools/call',
    params: { name: 'list_logs', arguments: { limit: 1000 } },
  },
  { name: 'tools/list', path: null, method: 'tools/list', params: {} },
];

/** Measures the processor time of a tool call relative to its route in one run. */
export async function benchTools(
  installation: BenchInstallation,
  options: { repetitions: number },
  log: (line: string) => void,
): Promise<Section> {
  log(`tools: creating ${rows} rows`);
  const data = await createDataSet(installation, rows);
  await using api = await startApi(installation.environment(data.database));
  const tenantId = data.tenants[0]?.id ?? '';
  const services = { postgres: installation.services.postgresService.pid ?? 0 };
  const run = (request: ToolRequest): Promise<Rate> =>
    measureLoad(services, [api.child.pid ?? 0], {
      ports: [api.port],
      connections,
      durationMs,
      requests: [{ ...request, headers: { 'x-tenant-id': tenantId, ...request.headers } }],
      secrets: data.secrets,
    });
  const cases = toolCases.flatMap((toolCase) =>
    requestVariants(toolCase).map((way) => ({ ...way, toolCase: toolCase.name })),
  );
  log('tools: warming up');
  for (const { request } of cases) await run(request);
  const rates = new Map<string, Rate[]>();
  for (let round = 0; round < options.repetitions; round += 1)
    for (let step = 0; step < cases.length; step += 1) {
      const one = cases[(round + step) % cases.length];
      if (!one) continue;
      const rate = await run(one.request);
      rates.set(one.name, [...(rates.get(one.name) ?? []), rate]);
      log(`tools, round ${round + 1}: ${one.name}: ${Math.round(rate.nodeUs ?? 0)} µs`);
    }
  return {
    title: 'Tools',
    description: `${connections} connections request the newest rows of a tenant from one api process. Node µs is processor time of the api per response; the ratio is relative to the route, the median of the ratios within a round.`,
    columns: ['', 'responses/s', 'p50 ms', 'Node µs', 'to the route'],
    rows: cases.map(({ name, toolCase, isRoute }) => {
      const own = rates.get(name) ?? [];
      const route = cases.find((one) => one.toolCase === toolCase && one.isRoute);
      const routes = rates.get(route?.name ?? '') ?? [];
      const ratios = own.map((rate, at) => (rate.nodeUs ?? Number.NaN) / (routes[at]?.nodeUs ?? Number.NaN));
      return [
        name,
        Math.round(median(own.map((rate) => rate.pagesPerSecond))),
        round2(median(own.map((rate) => rate.p50Ms))),
        Math.round(median(own.map((rate) => rate.nodeUs ?? Number.NaN))),
        isRoute || !route ? null : round2(median(ratios)),
      ];
    }),
  };
}

const modern = '2026-07-28';

function requestVariants({
  name,
  path,
  method,
  params,
}: ToolCase): { name: string; isRoute: boolean; request: ToolRequest }[] {
  const mcp = '/api/v1/mcp';
  const message = (all: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: all });
  const _meta = { 'io.modelcontextprotocol/protocolVersion': modern, 'io.modelcontextprotocol/clientCapabilities': {} };
  const protocolHeaders = { 'mcp-protocol-version': modern, 'mcp-method': method };
  const headers = typeof params.name === 'string' ? { ...protocolHeaders, 'mcp-name': params.name } : protocolHeaders;
  return [
    ...(path === null ? [] : [{ name: `${name}, route`, isRoute: true, request: { path: `/api/v1${path}` } }]),
    {
      name: `${name}, tool, by handshake`,
      isRoute: false,
      request: { path: mcp, headers: { 'mcp-protocol-version': '2025-11-25' }, body: message(params) },
    },
    {
      name: `${name}, tool, ${modern}`,
      isRoute: false,
      request: { path: mcp, headers, body: message({ ...params, _meta }) },
    },
  ];
}

const round2 = (value: number): number => Math.round(value * 100) / 100;

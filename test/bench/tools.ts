import { startApi } from './api-process.ts';
import { makeDataSet } from './data-set.ts';
import type { Installation } from './installation.ts';
import type { LoadOrder } from './load-client.ts';
import { type Rate, underLoad } from './page-readers.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';

const rows = 20_000;
const connections = 8;
const durationMs = 3_000;

type Asked = LoadOrder['requests'][number];

/** The same question as a route and as a tool, in both eras of the protocol. */
interface Question {
  readonly name: string;
  readonly path: string | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const questions: readonly Question[] = [
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
  { name: 'the list of tools', path: null, method: 'tools/list', params: {} },
];

/** Processor time of a tool call beside that of its route, in one run. */
export async function benchTools(
  installation: Installation,
  options: { rounds: number },
  say: (line: string) => void,
): Promise<Section> {
  say(`tools: making ${rows} rows`);
  const data = await makeDataSet(installation, rows);
  await using api = await startApi(installation.environment(data.database));
  const tenantId = data.tenants[0]?.id ?? '';
  const services = { postgres: installation.services.postgresService.pid ?? 0 };
  const run = (request: Asked): Promise<Rate> =>
    underLoad(services, [api.child.pid ?? 0], {
      ports: [api.port],
      connections,
      durationMs,
      requests: [{ ...request, headers: { 'x-tenant-id': tenantId, ...request.headers } }],
      secrets: data.secrets,
    });
  const cases = questions.flatMap((question) => waysOf(question).map((way) => ({ ...way, question: question.name })));
  say('tools: warming up');
  for (const { request } of cases) await run(request);
  const rates = new Map<string, Rate[]>();
  for (let round = 0; round < options.rounds; round += 1)
    for (let step = 0; step < cases.length; step += 1) {
      const one = cases[(round + step) % cases.length];
      if (!one) continue;
      const rate = await run(one.request);
      rates.set(one.name, [...(rates.get(one.name) ?? []), rate]);
      say(`tools, round ${round + 1}: ${one.name}: ${Math.round(rate.nodeUs ?? 0)} µs`);
    }
  return {
    title: 'Tools',
    words: `${connections} connections ask one api process for the newest rows of a tenant. Node µs is processor time of the api for one answer; the ratio is that to the route, the middle of those within a round.`,
    columns: ['', 'answers/s', 'p50 ms', 'Node µs', 'to the route'],
    rows: cases.map(({ name, question, isRoute }) => {
      const mine = rates.get(name) ?? [];
      const route = cases.find((one) => one.question === question && one.isRoute);
      const routes = rates.get(route?.name ?? '') ?? [];
      const ratios = mine.map((rate, at) => (rate.nodeUs ?? Number.NaN) / (routes[at]?.nodeUs ?? Number.NaN));
      return [
        name,
        Math.round(median(mine.map((rate) => rate.pagesPerSecond))),
        round2(median(mine.map((rate) => rate.p50Ms))),
        Math.round(median(mine.map((rate) => rate.nodeUs ?? Number.NaN))),
        isRoute || !route ? null : round2(median(ratios)),
      ];
    }),
  };
}

const modern = '2026-07-28';

function waysOf({ name, path, method, params }: Question): { name: string; isRoute: boolean; request: Asked }[] {
  const mcp = '/api/v1/mcp';
  const message = (all: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: all });
  const _meta = { 'io.modelcontextprotocol/protocolVersion': modern, 'io.modelcontextprotocol/clientCapabilities': {} };
  const said = { 'mcp-protocol-version': modern, 'mcp-method': method };
  const headers = typeof params.name === 'string' ? { ...said, 'mcp-name': params.name } : said;
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

import { type LogsPageQuery, logsPageStatement } from '@tenantscope/store/read';
import type { ProductProcess } from '../installation/processes.ts';
import type { DataSet, Position } from './data-set.ts';
import type { LoadOrder } from './load-client.ts';
import { runLoad } from './load-process.ts';
import { runPgbench } from './pgbench.ts';
import { ownProcessorTimeUs, processorTimeUs } from './processor-time.ts';

const durationMs = 4_000;

/** A client that fetches pages. */
export interface PageReader {
  name: string;
  run(places: readonly Position[], limit: number, connections: number): Promise<Rate>;
}

export interface Rate {
  pagesPerSecond: number;
  p50Ms: number;
  p99Ms: number | null;
  /** Processor time per page in microseconds: of the serving processes, if any; of PostgreSQL; of the client. */
  nodeUs: number | null;
  postgresUs: number;
  clientUs: number;
}

export interface Services {
  postgres: number;
}

export function pgbenchReader(program: string, url: string, upperMs: number, services: Services): PageReader {
  return {
    name: 'pgbench',
    async run(places, limit, clients) {
      const statements = places.map((place) => selectInside(place, limit, upperMs));
      const { spent, result } = await measureProcessorTime(services, [], () =>
        runPgbench(program, { url, statements, connections: clients, durationMs }),
      );
      const { perSecond, meanMs } = result;
      return {
        pagesPerSecond: perSecond,
        p50Ms: meanMs,
        p99Ms: null,
        ...perPage(spent, perSecond * (durationMs / 1_000)),
        nodeUs: null,
      };
    },
  };
}

/** The select inside the COPY statement of GET /logs. */
function selectInside({ tenantId, atMs, id }: Position, limit: number, upperMs: number): string {
  const query: LogsPageQuery = {
    tenantId,
    sort: 'discoveredAtAsc',
    discovered: { fromMs: null, toMs: upperMs },
    occurred: { fromMs: null, toMs: null },
    filters: {},
    after: { atMs, id },
    limit,
    timeoutMs: 5_000,
  };
  const select = /copy \((.+)\) to stdout/.exec(logsPageStatement(query))?.[1];
  if (select === undefined) throw new Error('the page statement is not a COPY of a select');
  return select;
}

export function apiReader(
  name: string,
  apis: readonly (ProductProcess & { port: number })[],
  data: DataSet,
  services: Services,
): PageReader {
  const cursors = new Map<string, string>();
  /** A page of one row returns the cursor after it, which works with any limit. */
  const cursorAt = async (place: Position): Promise<string> => {
    const cached = cursors.get(place.id);
    if (cached !== undefined) return cached;
    const at = new Date(place.atMs).toISOString();
    const query = `sort=discoveredAtAsc&discoveredFrom=${at}&limit=1`;
    const response = await fetch(`http://127.0.0.1:${apis[0]?.port}/api/v1/logs?${query}`, {
      headers: { authorization: `Bearer ${data.secrets[cursors.size]}`, 'x-tenant-id': place.tenantId },
    });
    if (response.status !== 200)
      throw new Error(`no cursor at ${at}: ${response.status} ${(await response.text()).slice(0, 300)}`);
    const body = (await response.json()) as { data: { id: string }[]; pagination: { nextCursor: string } };
    if (body.data[0]?.id !== place.id)
      throw new Error(`unexpected row at ${at}: ${JSON.stringify(body).slice(0, 300)}`);
    cursors.set(place.id, body.pagination.nextCursor);
    return body.pagination.nextCursor;
  };
  return {
    name,
    async run(places, limit, clients) {
      // One after the other: 64 at once of one key wait longer for each other than a request may.
      const requests: LoadOrder['requests'][number][] = [];
      for (const place of places)
        requests.push({
          path: `/api/v1/logs?cursor=${encodeURIComponent(await cursorAt(place))}&limit=${limit}`,
          headers: { 'x-tenant-id': place.tenantId },
        });
      const serving = apis.map(({ child }) => child.pid ?? 0);
      return measureLoad(services, serving, {
        ports: apis.map(({ port }) => port),
        connections: clients,
        durationMs,
        requests,
        secrets: data.secrets,
      });
    },
  };
}

export function stringifyReader(server: { port: number; pid: number }, services: Services): PageReader {
  return {
    name: 'stringify',
    run(places, limit, clients) {
      const requests = places.map(({ tenantId, atMs, id }) => ({
        path: `/page?tenant=${tenantId}&at=${new Date(atMs).toISOString()}&id=${id}&limit=${limit}`,
      }));
      const order = { ports: [server.port], connections: clients, durationMs, requests, secrets: [] };
      return measureLoad(services, [server.pid], order);
    },
  };
}

/** The pages may be responses of any kind. */
export async function measureLoad(services: Services, serving: readonly number[], order: LoadOrder): Promise<Rate> {
  const { spent, result } = await measureProcessorTime(services, serving, () => runLoad(order));
  const { responses, p50Ms, p99Ms } = result;
  return { pagesPerSecond: (responses / result.durationMs) * 1_000, p50Ms, p99Ms, ...perPage(spent, responses) };
}

type Spent = Pick<Rate, 'postgresUs' | 'clientUs'> & { nodeUs: number };

/** The client is a child of this process that has ended: its time is added to ours. */
async function measureProcessorTime<Value>(
  services: Services,
  serving: readonly number[],
  work: () => Promise<Value>,
): Promise<{ spent: Spent; result: Value }> {
  const now = (): Spent => ({
    nodeUs: serving.reduce((sum, pid) => sum + processorTimeUs(pid), 0),
    postgresUs: processorTimeUs(services.postgres),
    clientUs: ownProcessorTimeUs(),
  });
  const before = now();
  const result = await work();
  const after = now();
  const since = (of: keyof Spent) => after[of] - before[of];
  return { spent: { nodeUs: since('nodeUs'), postgresUs: since('postgresUs'), clientUs: since('clientUs') }, result };
}

function perPage(spent: Spent, pages: number): Spent {
  return { nodeUs: spent.nodeUs / pages, postgresUs: spent.postgresUs / pages, clientUs: spent.clientUs / pages };
}

import { type LogsPageQuery, logsPageStatement } from '@tenantscope/store';
import type { ProductProcess } from '../product/processes.ts';
import type { DataSet, Place } from './data-set.ts';
import { putLoad } from './load.ts';
import type { LoadOrder } from './load-client.ts';
import { runPgbench } from './pgbench.ts';
import { ownTimeUs, processorTimeUs } from './processor-time.ts';

const durationMs = 4_000;

/** Somebody who fetches pages. */
export interface PageReader {
  name: string;
  run(places: readonly Place[], limit: number, connections: number): Promise<Rate>;
}

export interface Rate {
  pagesPerSecond: number;
  p50Ms: number;
  p99Ms: number | null;
  /** Processor time a page, microseconds: of the serving processes, where there are any; of PostgreSQL; of whoever asks. */
  nodeUs: number | null;
  postgresUs: number;
  clientUs: number;
}

export interface Services {
  postgres: number;
}

export function fetchingOnly(program: string, url: string, upperMs: number, services: Services): PageReader {
  return {
    name: 'pgbench',
    async run(places, limit, clients) {
      const statements = places.map((place) => selectInside(place, limit, upperMs));
      const { spent, result } = await spending(services, [], () =>
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

/** The select that GET /logs copies out, taken from its own statement. */
function selectInside({ tenantId, atMs, id }: Place, limit: number, upperMs: number): string {
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
  if (select === undefined) throw new Error('the statement of a page is no COPY of a select any more');
  return select;
}

export function throughApi(
  name: string,
  apis: readonly (ProductProcess & { port: number })[],
  data: DataSet,
  services: Services,
): PageReader {
  const cursors = new Map<string, string>();
  /** Pages of one row tell the cursor behind it, whatever limit is asked for afterwards. */
  const cursorAt = async (place: Place): Promise<string> => {
    const known = cursors.get(place.id);
    if (known !== undefined) return known;
    const at = new Date(place.atMs).toISOString();
    const query = `sort=discoveredAtAsc&discoveredFrom=${at}&limit=1`;
    const answer = await fetch(`http://127.0.0.1:${apis[0]?.port}/api/v1/logs?${query}`, {
      headers: { authorization: `Bearer ${data.secrets[cursors.size]}`, 'x-tenant-id': place.tenantId },
    });
    const body = (await answer.json()) as { data: { id: string }[]; pagination: { nextCursor: string } };
    if (body.data[0]?.id !== place.id)
      throw new Error(`another row stands at ${at}: ${JSON.stringify(body).slice(0, 300)}`);
    cursors.set(place.id, body.pagination.nextCursor);
    return body.pagination.nextCursor;
  };
  return {
    name,
    async run(places, limit, clients) {
      const requests: LoadOrder['requests'] = await Promise.all(
        places.map(async (place) => ({
          path: `/api/v1/logs?cursor=${encodeURIComponent(await cursorAt(place))}&limit=${limit}`,
          headers: { 'x-tenant-id': place.tenantId },
        })),
      );
      const serving = apis.map(({ child }) => child.pid ?? 0);
      return underLoad(services, serving, {
        ports: apis.map(({ port }) => port),
        connections: clients,
        durationMs,
        requests,
        secrets: data.secrets,
      });
    },
  };
}

export function stringifying(server: { port: number; pid: number }, services: Services): PageReader {
  return {
    name: 'stringify',
    run(places, limit, clients) {
      const requests = places.map(({ tenantId, atMs, id }) => ({
        path: `/page?tenant=${tenantId}&at=${new Date(atMs).toISOString()}&id=${id}&limit=${limit}`,
      }));
      const order = { ports: [server.port], connections: clients, durationMs, requests, secrets: [] };
      return underLoad(services, [server.pid], order);
    },
  };
}

/** Pages may be answers of any kind. */
export async function underLoad(services: Services, serving: readonly number[], order: LoadOrder): Promise<Rate> {
  const { spent, result } = await spending(services, serving, () => putLoad(order));
  const { answers, p50Ms, p99Ms } = result;
  return { pagesPerSecond: (answers / result.durationMs) * 1_000, p50Ms, p99Ms, ...perPage(spent, answers) };
}

type Spent = Pick<Rate, 'postgresUs' | 'clientUs'> & { nodeUs: number };

/** Whoever asks is a child of this process, gone by the end: its time is added to ours. */
async function spending<Value>(
  services: Services,
  serving: readonly number[],
  work: () => Promise<Value>,
): Promise<{ spent: Spent; result: Value }> {
  const now = (): Spent => ({
    nodeUs: serving.reduce((sum, pid) => sum + processorTimeUs(pid), 0),
    postgresUs: processorTimeUs(services.postgres),
    clientUs: ownTimeUs(),
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

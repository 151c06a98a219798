import type { DatabasePool } from 'slonik';
import type { CellPools } from '../admin/cell-pools.ts';
import { translateErrors, withTimeout } from '../admin/database.ts';
import { StoreUnavailable } from '../connection/errors.ts';
import { countRejected } from '../source/rejected-formats.ts';
import { listSourceStates } from '../source/source-states.ts';
import {
  countByReason,
  countByTopic,
  createDeadLetterRequest,
  type DeadLetterPools,
  type DeadLetterPosition,
  type DeadLetterQuery,
  filterVisibleDeadLetters,
  listDeadLetters,
  readDeadLetterRequest,
  readOriginalDeadLetter,
  type VisibilityScope,
} from './dead-letters.ts';
import { listFeedMinutes, readFeedReport } from './feeds.ts';
import { quickTimeoutMs } from './quick-timeout.ts';
import { listTenantBindings } from './source-bindings.ts';
import { type LastEvent, listLastEvents, listSilentTenants } from './source-overview.ts';

/** Of a short query, for a cell to respond: the state of the others is shown without it. */
const cellTimeoutMs = 1_500;

export interface DeadLetterReading {
  readonly query: DeadLetterQuery;
  /** The other choices of each filter are counted too. */
  readonly ofEveryReason: DeadLetterQuery;
  readonly ofEveryTopic: DeadLetterQuery;
  /** Null: counts alone. */
  readonly page: { readonly after: DeadLetterPosition | null; readonly limit: number } | null;
}

function requireAll(unavailable: readonly string[]): void {
  if (unavailable.length > 0) throw new StoreUnavailable(`the cell ${unavailable.join(', ')} does not respond`);
}

/** What the console reads of the read models of all cells. */
export function createCellReaders(cells: CellPools, control: DatabasePool) {
  /** Of every cell, whatever cells the tenants are in: a cell that a tenant has left, and one with a record in its topics by mistake, has dead letters of it. */
  const openAll = async (): Promise<DeadLetterPools & { readonly unavailable: readonly string[] }> => ({
    ...(await cells.openAvailable(null, cellTimeoutMs)),
    control,
  });
  const openAvailable = (tenantIds: readonly string[]) => cells.openAvailable(tenantIds, cellTimeoutMs);
  return {
    deadLetters: {
      /** Counts and a page, of the cells that respond, and the names of the others. */
      async read({ query, ofEveryReason, ofEveryTopic, page }: DeadLetterReading) {
        const { unavailable, ...pools } = await openAll();
        const [reasons, topics, deadLetters] = await Promise.all([
          countByReason(pools, ofEveryReason),
          countByTopic(pools, ofEveryTopic),
          page === null ? [] : listDeadLetters(pools, query, page.after, page.limit),
        ]);
        return { reasons, topics, deadLetters, unavailableCells: unavailable };
      },
      list: async (query: DeadLetterQuery, after: DeadLetterPosition | null, limit: number) =>
        listDeadLetters(await openAll(), query, after, limit),
      /** Throws StoreUnavailable where one is not found and a cell does not respond. */
      async filterVisible(sight: VisibilityScope, ids: readonly string[]) {
        const { unavailable, ...pools } = await openAll();
        const visible = await filterVisibleDeadLetters(pools, sight, ids);
        if (visible.ids.length < ids.length) requireAll(unavailable);
        return visible;
      },
      async readOriginal(sight: VisibilityScope, id: string) {
        const { unavailable, ...pools } = await openAll();
        const found = await readOriginalDeadLetter(pools, sight, id);
        if (found === null) requireAll(unavailable);
        return found;
      },
      createRequest: createDeadLetterRequest,
      readRequest: (of: Parameters<typeof readDeadLetterRequest>[1]) => readDeadLetterRequest(control, of),
    },
    /** Of the cells of the tenants in sight. */
    feeds: (of: Parameters<typeof readFeedReport>[1]) =>
      withTimeout(
        quickTimeoutMs,
        (async () => {
          const tenantIds = of.tenantId === undefined ? of.tenantIds : [of.tenantId];
          const [{ models: available, unavailable }, all] = await Promise.all([openAvailable(tenantIds), openAll()]);
          return readFeedReport({ models: available, control }, of, { unavailable, counted: all });
        })(),
      ),
    async feedMinutes(tenantIds: readonly string[]) {
      return listFeedMinutes({ models: (await openAvailable(tenantIds)).models, control });
    },
    async sources(tenantIds: readonly string[]) {
      const { models: available } = await openAvailable(tenantIds);
      const found = available.map((each) => listSourceStates(each.pool, tenantIds));
      return (await translateErrors(Promise.all(found))).flat();
    },
    /** Ids of tenants that have sources, those with the most silent ones first, at most `limit` of them. */
    async silentTenants(tenantIds: readonly string[], of: Parameters<typeof listSilentTenants>[2]) {
      const { models: available } = await openAvailable(tenantIds);
      const found = await Promise.all(available.map((each) => listSilentTenants(each.pool, tenantIds, of)));
      return found
        .flat()
        .sort((one, other) => other.silent - one.silent)
        .slice(0, of.limit)
        .map(({ tenantId }) => tenantId);
    },
    async lastEvents(tenantIds: readonly string[]): Promise<readonly LastEvent[]> {
      const { models: available } = await openAvailable(tenantIds);
      return (await Promise.all(available.map((each) => listLastEvents(each.pool, tenantIds)))).flat();
    },
    async rejected(tenantIds: readonly string[]) {
      const { models: available } = await openAvailable(tenantIds);
      return (await translateErrors(Promise.all(available.map((each) => countRejected(each.pool, tenantIds))))).flat();
    },
    async bindings(tenantIds: readonly string[]) {
      const { models: available } = await openAvailable(tenantIds);
      return listTenantBindings({ models: available, control }, tenantIds);
    },
  };
}

import type { DatabasePool } from 'slonik';
import type { CellPools } from '../admin/cell-pools.ts';
import { translateErrors, withTimeout } from '../admin/database.ts';
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

/** Of a short query, for a cell to respond: the state of the others is shown without it. */
const cellTimeoutMs = 1_500;

/** What the console reads of the read models of all cells. */
export function createCellReaders(cells: CellPools, control: DatabasePool) {
  /** Of every cell: where one does not respond, its dead letters are unknown, and a list without them would hide them. */
  const openAll = async (): Promise<DeadLetterPools> => ({ models: await cells.openAll(), control });
  const openAvailable = (tenantIds: readonly string[]) => cells.openAvailable(tenantIds, cellTimeoutMs);
  return {
    deadLetters: {
      countByReason: async (query: DeadLetterQuery) => countByReason(await openAll(), query),
      countByTopic: async (query: DeadLetterQuery) => countByTopic(await openAll(), query),
      list: async (query: DeadLetterQuery, after: DeadLetterPosition | null, limit: number) =>
        listDeadLetters(await openAll(), query, after, limit),
      filterVisible: async (sight: VisibilityScope, ids: readonly string[]) =>
        filterVisibleDeadLetters(await openAll(), sight, ids),
      readOriginal: async (sight: VisibilityScope, id: string) => readOriginalDeadLetter(await openAll(), sight, id),
      createRequest: createDeadLetterRequest,
      readRequest: (of: Parameters<typeof readDeadLetterRequest>[1]) => readDeadLetterRequest(control, of),
    },
    /** Of the cells of the tenants in sight. */
    feeds: (of: Parameters<typeof readFeedReport>[1]) =>
      withTimeout(
        quickTimeoutMs,
        (async () => {
          const tenantIds = of.tenantId === undefined ? of.tenantIds : [of.tenantId];
          const { models: available, unavailable } = await openAvailable(tenantIds);
          return readFeedReport({ models: available, control }, of, unavailable);
        })(),
      ),
    async feedMinutes(tenantIds: readonly string[]) {
      return listFeedMinutes((await openAvailable(tenantIds)).models);
    },
    async sources(tenantIds: readonly string[]) {
      const { models: available } = await openAvailable(tenantIds);
      const found = available.map((each) => listSourceStates(each.pool, tenantIds));
      return (await translateErrors(Promise.all(found))).flat();
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

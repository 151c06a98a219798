import { defaultCell } from '@tenantscope/runtime';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { StoreUnavailable } from '../connection/errors.ts';
import { openAdminPool, type PoolLimits, translateErrors, withTimeout } from './database.ts';

/** The databases of an installation: the control database, the read models of the cell default, and those of further cells. */
export interface InstallationUrls {
  readonly control: string;
  readonly models: string;
  readonly cells?: readonly { readonly name: string; readonly database: string }[];
}

/** The read models of a cell. */
export interface CellPool {
  readonly cell: string;
  readonly pool: DatabasePool;
}

export interface AvailableCells {
  readonly models: readonly CellPool[];
  readonly unavailable: readonly string[];
}

/** The read models of all cells, opened when they are first used. */
export interface CellPools extends AsyncDisposable {
  /** With default first. */
  readonly names: readonly string[];
  /** Throws StoreUnavailable, naming the cell, where its database does not respond, is that of another cell, or has no address here. */
  open(cell: string): Promise<DatabasePool>;
  openAll(): Promise<readonly CellPool[]>;
  /** Of the cells of tenants, or default without tenants; null: of all. Those that respond in time, and the names of the others. */
  openAvailable(tenantIds: readonly string[] | null, timeoutMs: number): Promise<AvailableCells>;
  /** Of the cell of a tenant; of an unknown tenant, of the cell default. */
  openOf(tenantId: string): Promise<DatabasePool>;
  /** Work with the URL of the cell of a tenant. */
  runWithUrl<Value>(tenantId: string, work: (url: string) => Promise<Value>): Promise<Value>;
  /** Work in the cell of a tenant. */
  runIn<Value>(tenantId: string, work: (models: DatabasePool) => Promise<Value>): Promise<Value>;
  /** Of an unknown tenant, default. */
  findCell(tenantId: string): Promise<string>;
  /** Of the cells that respond; the problems name the others. */
  collect<Row>(work: (models: DatabasePool, cell: string) => Promise<readonly Row[]>): Promise<AvailableRows<Row>>;
  /** The first that is found. Throws CellUnavailable where none is found and a cell does not respond. */
  findFirst<Value>(work: (models: DatabasePool, cell: string) => Promise<Value | null>): Promise<Value | null>;
}

export function createCellPools(
  { control, urls }: { control: DatabasePool; urls: InstallationUrls },
  actor: string | null,
  limits?: PoolLimits,
): CellPools {
  const further = new Map(urls.cells?.map(({ name, database }) => [name, database]));
  const opened = new Map<string, Promise<DatabasePool>>();
  const open = (cell: string): Promise<DatabasePool> => {
    if (cell === defaultCell && urls.models === urls.control) return Promise.resolve(control);
    const openCell = () =>
      further.size === 0 && cell === defaultCell
        ? openAdminPool(urls.models, actor, limits)
        : openVerified(findUrl(cell), cell);
    const pool = opened.get(cell) ?? openCell();
    opened.set(cell, pool);
    pool.catch(() => opened.delete(cell));
    return pool;
  };
  const openVerified = async (url: string, cell: string): Promise<DatabasePool> => {
    let pool: DatabasePool | null = null;
    try {
      pool = await openAdminPool(url, actor, limits);
      const found = await translateErrors(
        pool.oneFirst(sql.type(z.object({ cell: z.string() }))`select models.own_cell() as cell`),
      );
      if (found !== cell) throw new StoreUnavailable(`its database is that of the cell ${found}`);
      return pool;
    } catch (error) {
      await pool?.end().catch(() => {});
      throw new CellUnavailable(cell, error);
    }
  };
  const findUrl = (cell: string): string => {
    const url = cell === defaultCell ? urls.models : further.get(cell);
    if (url === undefined) throw new CellUnavailable(cell, new Error('TENANTSCOPE_CELLS does not name it'));
    return url;
  };
  const findCell = async (tenantId: string): Promise<string> =>
    (await translateErrors(
      control.maybeOneFirst(sql.type(z.object({ cell: z.string() }))`
        select cell from control.tenant where id = ${tenantId}::uuid`),
    )) ?? defaultCell;
  const findCells = async (tenantIds: readonly string[]): Promise<readonly string[]> => {
    if (further.size === 0) return [defaultCell];
    const found = await translateErrors(
      control.anyFirst(sql.type(z.object({ cell: z.string() }))`
        select distinct cell from control.tenant where id = any(${sql.array([...tenantIds], 'uuid')}) order by cell`),
    );
    return found.length === 0 ? [defaultCell] : found;
  };
  const ping = async (cell: string): Promise<CellPool> => {
    const pool = await open(cell);
    if (further.size > 0) await pool.query(sql.unsafe`select`);
    return { cell, pool };
  };
  const names = [defaultCell, ...further.keys()];
  const openAll = () => Promise.all(names.map(async (cell) => ({ cell, pool: await open(cell) })));
  const openOf = async (tenantId: string) => open(await findCell(tenantId));
  return {
    names,
    open: async (cell) => open(cell),
    openAll,
    async openAvailable(tenantIds, timeoutMs) {
      const requested = tenantIds === null ? names : await findCells(tenantIds);
      const opened = await Promise.allSettled(requested.map((cell) => withTimeout(timeoutMs, ping(cell))));
      return {
        models: opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
        unavailable: requested.filter((_, index) => opened[index]?.status === 'rejected'),
      };
    },
    openOf,
    async runWithUrl(tenantId, work) {
      const cell = await findCell(tenantId);
      return nameCell(cell, work(findUrl(cell)));
    },
    async runIn(tenantId, work) {
      const cell = await findCell(tenantId);
      return nameCell(cell, work(await open(cell)));
    },
    findCell,
    collect: (work) => collectAvailable(names, async (cell) => nameCell(cell, work(await open(cell), cell))),
    findFirst: (work) => findAvailable(names, async (cell) => nameCell(cell, work(await open(cell), cell))),
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...opened.values()].map(async (pool) => (await pool).end()));
    },
  };
}

/** What is found in the cells that respond; the problems name the others. */
export interface AvailableRows<Row> {
  readonly found: readonly Row[];
  readonly problems: readonly string[];
}

/** For lists: a cell that does not respond is a problem, and hides no other. */
export async function collectAvailable<Place, Row>(
  places: readonly Place[],
  read: (place: Place) => Promise<readonly Row[]>,
): Promise<AvailableRows<Row>> {
  const found: Row[] = [];
  const problems: string[] = [];
  for (const result of await Promise.allSettled(places.map(read))) {
    if (result.status === 'fulfilled') found.push(...result.value);
    else if (result.reason instanceof CellUnavailable) problems.push(result.reason.message);
    else throw result.reason;
  }
  return { found, problems };
}

/** For one row, which is in one place: a cell that does not respond hides none of the others. */
export async function findAvailable<Place, Value>(
  places: readonly Place[],
  look: (place: Place) => Promise<Value | null>,
): Promise<Value | null> {
  let unavailable: CellUnavailable | null = null;
  for (const place of places) {
    try {
      const found = await look(place);
      if (found !== null) return found;
    } catch (error) {
      if (!(error instanceof CellUnavailable)) throw error;
      unavailable ??= error;
    }
  }
  if (unavailable !== null) throw unavailable;
  return null;
}

/** Names the cell where its database fails; that of the cell default is named by its address. */
export async function nameCell<Value>(cell: string, work: Promise<Value>): Promise<Value> {
  try {
    return await translateErrors(work);
  } catch (error) {
    const isNamed = cell === defaultCell || error instanceof CellUnavailable;
    throw error instanceof StoreUnavailable && !isNamed ? new CellUnavailable(cell, error) : error;
  }
}

/** The message names the cell and is safe to show to operators. */
export class CellUnavailable extends StoreUnavailable {
  override name = 'CellUnavailable';
  constructor(cell: string, cause: unknown) {
    super(`the cell ${cell} is unavailable: ${(cause as Error).message}`, { cause });
  }
}

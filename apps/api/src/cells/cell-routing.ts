import { defaultCell } from '@tenantscope/runtime';
import { StoreUnavailable } from '@tenantscope/store/connection';
import type { Caller } from '../auth/caller.ts';
import type { Handlers, OperationResult } from '../invoke.ts';
import type { TailWaits } from '../records/tail-waits.ts';

/** What serves the tenants of a cell. */
export interface ServedCell {
  readonly handlers: Handlers;
  readonly tailWaits: Pick<TailWaits, 'begin'>;
  /** Null: all rows of the tenant are here. Otherwise waits until they are; throws StoreUnavailable while they are being copied. */
  waitForArrival(tenantId: string): Promise<void> | null;
}

/**
 * Routes each operation to the cell of its tenant, which the look-up of the key has just read: nothing is cached that a change would have to invalidate.
 * A request without a tenant reads nothing but the control database. Throws StoreUnavailable for a cell that this process has no database of.
 */
export function createCellRouting(cells: ReadonlyMap<string, ServedCell>) {
  const find = (name: string): ServedCell => {
    const cell = cells.get(name);
    if (cell === undefined)
      throw new StoreUnavailable(`the tenant is in the cell ${name}, which TENANTSCOPE_CELLS does not name`);
    return cell;
  };
  type Handler = (caller: Caller, input: unknown) => Promise<OperationResult>;
  const route =
    (operation: string): Handler =>
    async (caller, input) => {
      const { handlers, waitForArrival } = find(caller.tenant?.cell ?? defaultCell);
      const arrival = caller.tenant ? waitForArrival(caller.tenant.id) : null;
      if (arrival !== null) await arrival;
      return (handlers as unknown as Record<string, Handler>)[operation]?.(caller, input) as Promise<OperationResult>;
    };
  const names = Object.keys(find(defaultCell).handlers);
  return {
    handlers: Object.fromEntries(names.map((name) => [name, route(name)])) as unknown as Handlers,
    findTailWaits: (cell: string): Pick<TailWaits, 'begin'> => find(cell).tailWaits,
  };
}

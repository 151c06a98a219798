import type { DatabasePool } from 'slonik';
import { type AvailableRows, collectAvailable, findAvailable, nameCell } from './cell-pools.ts';
import * as groups from './dead-letter-groups.ts';
import * as letters from './dead-letters.ts';

/** The dead letters of the lanes of a cell, or of the control schema. */
export interface DeadLetterLedger {
  readonly cell: string;
  readonly schema: letters.LedgerSchema;
  open(): Promise<DatabasePool>;
}

/** Dead letters of all ledgers, for operators. */
export function createDeadLetterStore(ledgers: readonly DeadLetterLedger[]) {
  const run = async <Value>(
    { cell, open, schema }: DeadLetterLedger,
    work: (pool: DatabasePool, schema: letters.LedgerSchema) => Promise<Value>,
  ): Promise<Value> => nameCell(cell, work(await open(), schema));
  return {
    /** Newest first, of the ledgers of all cells that respond. */
    async list(input: Parameters<typeof letters.listDeadLetters>[2]): Promise<AvailableRows<letters.ListedDeadLetter>> {
      const { found, problems } = await collectAvailable(ledgers, (ledger) =>
        run(ledger, (pool, schema) => letters.listDeadLetters(pool, schema, input)),
      );
      const newest = found.toSorted((a, b) => (a.deadLetteredAt < b.deadLetteredAt ? 1 : -1));
      return { found: newest.slice(0, input.limit), problems };
    },
    /** The most frequent first, of the same. */
    async summarize(filter: letters.DeadLetterFilter): Promise<AvailableRows<groups.DeadLetterSummary>> {
      const { found, problems } = await collectAvailable(ledgers, (ledger) =>
        run(ledger, (pool, schema) => groups.summarizeDeadLetters(pool, schema, filter)),
      );
      return { found: found.toSorted((a, b) => b.count - a.count), problems };
    },
    /** Each ledger, for work on many dead letters. */
    ledgers: ledgers.map((ledger) => ({
      cell: ledger.cell,
      countUndecided: (filter: letters.DeadLetterFilter) =>
        run(ledger, (pool, schema) => groups.countUndecided(pool, schema, filter)),
      listUndecided: (filter: letters.DeadLetterFilter, after: groups.DeadLetterPosition | null, limit: number) =>
        run(ledger, (pool, schema) => groups.listUndecided(pool, schema, filter, after, limit)),
      readOriginals: (ids: readonly string[]) => run(ledger, (pool, schema) => groups.readOriginals(pool, schema, ids)),
      beginReplays: (action: groups.BulkAction, ids: readonly string[]) =>
        run(ledger, (pool, schema) => groups.beginReplays(pool, schema, action, ids)),
      settleForwarded: (action: groups.BulkAction, ids: readonly string[]) =>
        run(ledger, (pool, schema) => groups.settleForwarded(pool, schema, action, ids)),
      discardMany: (action: groups.BulkAction, ids: readonly string[]) =>
        run(ledger, (pool, schema) => groups.discardMany(pool, schema, action, ids)),
      readStates: (ids: readonly string[]) => run(ledger, (pool, schema) => groups.readStates(pool, schema, ids)),
    })),
    /** As the next two, of the cells that respond; throws CellUnavailable where it is in none of them and one does not. */
    show: (id: string) =>
      findAvailable(ledgers, (ledger) => run(ledger, (pool, schema) => letters.showDeadLetter(pool, schema, id))),
    /** With the cell of the ledger that it is in. */
    beginReplay: (id: string) =>
      findAvailable(ledgers, async (ledger) => {
        const begun = await run(ledger, (pool, schema) => letters.beginReplay(pool, schema, id));
        return begun && { ...begun, cell: ledger.cell };
      }),
    async discard(id: string): Promise<boolean> {
      const discarded = await findAvailable(ledgers, async (ledger) =>
        (await run(ledger, (pool, schema) => letters.discardDeadLetter(pool, schema, id))) ? ledger : null,
      );
      return discarded !== null;
    },
    /** Settles a replayed dead letter of a cell whose message was sent to the topics of another one. */
    async settleForwarded(id: string, cell: string): Promise<void> {
      for (const ledger of ledgers)
        if (ledger.cell === cell) await run(ledger, (pool, schema) => letters.settleForwarded(pool, schema, id));
    },
  };
}

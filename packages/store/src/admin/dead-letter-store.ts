import type { DatabasePool } from 'slonik';
import { translateErrors } from './database.ts';
import * as groups from './dead-letter-groups.ts';
import * as letters from './dead-letters.ts';

interface DeadLetterLedger {
  readonly pool: DatabasePool;
  readonly schema: letters.LedgerSchema;
}

/** Dead letters of all ledgers, for operators. */
export function createDeadLetterStore(ledgers: readonly DeadLetterLedger[]) {
  return {
    /** Newest first, of all ledgers. */
    async list(input: Parameters<typeof letters.listDeadLetters>[2]) {
      const lists = await Promise.all(
        ledgers.map(({ pool, schema }) => translateErrors(letters.listDeadLetters(pool, schema, input))),
      );
      return lists
        .flat()
        .sort((a, b) => (a.deadLetteredAt < b.deadLetteredAt ? 1 : -1))
        .slice(0, input.limit);
    },
    /** Of both ledgers, the most frequent first. */
    async summarize(filter: letters.DeadLetterFilter) {
      const found = await Promise.all(
        ledgers.map(({ pool, schema }) => translateErrors(groups.summarizeDeadLetters(pool, schema, filter))),
      );
      return found.flat().sort((a, b) => b.count - a.count);
    },
    /** Each ledger, for work on many dead letters. */
    ledgers: ledgers.map(({ pool, schema }) => ({
      countUndecided: (filter: letters.DeadLetterFilter) =>
        translateErrors(groups.countUndecided(pool, schema, filter)),
      listUndecided: (filter: letters.DeadLetterFilter, after: groups.DeadLetterPosition | null, limit: number) =>
        translateErrors(groups.listUndecided(pool, schema, filter, after, limit)),
      readOriginals: (ids: readonly string[]) => translateErrors(groups.readOriginals(pool, schema, ids)),
      beginReplays: (action: groups.BulkAction, ids: readonly string[]) =>
        translateErrors(groups.beginReplays(pool, schema, action, ids)),
      discardMany: (action: groups.BulkAction, limit: number) =>
        translateErrors(groups.discardMany(pool, schema, action, limit)),
      readStates: (ids: readonly string[]) => translateErrors(groups.readStates(pool, schema, ids)),
    })),
    show: (id: string) =>
      findFirst(ledgers, ({ pool, schema }) => translateErrors(letters.showDeadLetter(pool, schema, id))),
    beginReplay: (id: string) =>
      findFirst(ledgers, ({ pool, schema }) => translateErrors(letters.beginReplay(pool, schema, id))),
    async discard(id: string): Promise<boolean> {
      for (const { pool, schema } of ledgers) {
        if (await translateErrors(letters.discardDeadLetter(pool, schema, id))) return true;
      }
      return false;
    },
  };
}

async function findFirst<Place, Value>(
  places: readonly Place[],
  look: (place: Place) => Promise<Value | null>,
): Promise<Value | null> {
  for (const place of places) {
    const found = await look(place);
    if (found !== null) return found;
  }
  return null;
}

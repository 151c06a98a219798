import type { Admin } from '@tenantscope/store/admin';

export type Ledger = Admin['deadLetters']['ledgers'][number];

/** Work on the dead letters of each cell. A cell that does not respond is a problem, and prevents no work on the others. */
export async function forEachLedger(
  { deadLetters: { ledgers } }: Admin,
  work: (ledger: Ledger) => Promise<void>,
): Promise<readonly string[]> {
  const problems = new Set<string>();
  for (const ledger of ledgers) {
    try {
      await work(ledger);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'CellUnavailable') throw error;
      problems.add(`${error.message}; repeat the command for its dead letters when it responds`);
    }
  }
  return [...problems];
}

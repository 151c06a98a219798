import type { DeadLetterFilter } from '@tenantscope/store/admin';
import type { Ledger } from './each-ledger.ts';

type Undecided = Awaited<ReturnType<Ledger['listUndecided']>>;

/** The undecided dead letters of a filter, oldest first. Those of a page may be decided before the next one is read. */
export async function* listUndecidedPages(
  ledger: Ledger,
  filter: DeadLetterFilter,
  pageSize: number,
): AsyncGenerator<Undecided> {
  for (let page = await ledger.listUndecided(filter, null, pageSize); page.length > 0; ) {
    yield page;
    page = await ledger.listUndecided(filter, page.at(-1) ?? null, pageSize);
  }
}

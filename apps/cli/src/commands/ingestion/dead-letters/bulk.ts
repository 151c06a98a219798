import { randomUUID } from 'node:crypto';
import type { BulkAction } from '@tenantscope/store/admin';
import { usageError } from '../../../command-error.ts';
import { withAdmin } from '../../../connections/admin-connection.ts';
import type { CommandContext } from '../../../context.ts';
import type { CommandResult } from '../../../output/command-result.ts';
import { formatCount } from '../../../output/count.ts';
import { createProgressBar } from '../../../output/progress-bar.ts';
import { forEachLedger } from './each-ledger.ts';
import { type FilterOptions, hasFilter, parseFilter } from './filter-options.ts';
import { listUndecidedPages } from './undecided-pages.ts';

export interface BulkOptions extends FilterOptions {
  readonly dryRun?: boolean;
}

/** One statement, and one event of the audit log for each tenant. 50,000 took 33 s on a busy machine, and statements end after 30; 10,000 took 5 s. */
const batchSize = 10_000;

/**
 * The dead letters that a command is about: those of the filter that exist when it starts, since more may arrive while it runs. Without a filter nothing is chosen.
 */
export function chooseDeadLetters(options: BulkOptions, command: string): BulkAction {
  if (!hasFilter(options))
    throw usageError(
      `name the dead letters to ${command}: by id, or by --tenant, --source, --reason, --import, --from and --to`,
    );
  const filter = parseFilter(options);
  const now = new Date();
  const to = filter.to !== undefined && filter.to < now ? filter.to : now;
  return { id: randomUUID(), filter: { ...filter, to } };
}

/** Discards all dead letters of a filter that are not settled. Interrupted, it has discarded whole batches; the same command continues. */
export async function discardMany(options: BulkOptions, context: CommandContext): Promise<CommandResult> {
  const action = chooseDeadLetters(options, 'discard');
  return withAdmin(context.environment, async (admin) => {
    const totals: number[] = [];
    const unread = await forEachLedger(admin, async (ledger) => {
      totals.push(await ledger.countUndecided(action.filter));
    });
    const total = totals.reduce((sum, count) => sum + count, 0);
    if (options.dryRun === true)
      return {
        document: { dryRun: true, matching: total, discarded: 0 },
        text: `${formatCount(total, 'dead letter')} would be discarded.`,
        problems: unread,
      };
    const progress = createProgressBar(context.terminal, total, 'discarded');
    let discarded = 0;
    const problems = await forEachLedger(admin, async (ledger) => {
      for await (const page of listUndecidedPages(ledger, action.filter, batchSize)) {
        const count = await ledger.discardMany(
          action,
          page.map(({ id }) => id),
        );
        discarded += count;
        progress.advance(count, count);
      }
    });
    progress.clear();
    const text = `${formatCount(discarded, 'dead letter')} discarded.`;
    return { document: { dryRun: false, matching: total, discarded }, text, problems };
  });
}

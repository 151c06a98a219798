import { planMigration } from '@tenantscope/store/admin';
import { CommandError } from '../../command-error.ts';
import { readMigrationUrls } from '../../connections/connection-settings.ts';
import { withDatabaseErrors } from '../../connections/database-errors.ts';
import { parseWait, waitForStores } from '../../connections/wait-for-stores.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatTable } from '../../output/table.ts';

type Plan = Awaited<ReturnType<typeof planMigration>>;

/** The migrations that would be applied, and those of another version; with `check` each of them is a problem. Changes nothing. */
export async function showPlan(
  { check = false, wait }: { check?: boolean; wait: string },
  { environment }: CommandContext,
): Promise<CommandResult> {
  const urls = readMigrationUrls(environment);
  const waitMs = parseWait(wait);
  const plan = await withDatabaseErrors(urls.owner, 'TENANTSCOPE_OWNER_DATABASE_URL', () =>
    waitForStores(waitMs, () => planMigration(urls)),
  );
  return { document: plan, text: formatPlan(plan), problems: check ? listProblems(plan) : [] };
}

function formatPlan({ pending, changed, unknown, omittedCells }: Plan): string {
  const steps = formatTable(
    pending,
    [
      ['migration', ({ name }) => name],
      ['phase', ({ phase }) => phase],
      ['needs', ({ needs }) => needs.join('; ')],
      ['waits for', ({ obstacles }) => obstacles.join('; ')],
    ],
    'No migration is pending.',
  );
  return [
    steps,
    ...changed.map((name) => `Changed after it was applied: ${name}`),
    ...unknown.map((name) => `Applied by a newer version: ${name}`),
    ...omittedCells.map(describeOmittedCell),
  ].join('\n');
}

export const describeOmittedCell = (name: string): string =>
  `The cell ${name} was left out: TENANTSCOPE_CELLS does not name it, and its database may be of an older version.`;

function listProblems({ pending, changed, unknown, omittedCells }: Plan): string[] {
  const problem = (names: readonly string[], text: (names: string) => string) =>
    names.length === 0 ? [] : [text(names.join(', '))];
  return [
    ...problem(
      pending.map(({ name }) => name),
      (names) => `migrations are pending: ${names}; run "tenantscope migrate"`,
    ),
    ...problem(
      changed,
      (names) =>
        `migrations were changed after they were applied: ${names}; restore their files and write the change as a new migration`,
    ),
    ...problem(
      unknown,
      (names) => `the database is of a newer version, which applied: ${names}; use the commands of that version`,
    ),
    ...problem(omittedCells, (names) => `cells were left out: ${names}; name them in TENANTSCOPE_CELLS`),
  ];
}

/** A migration that was refused or failed is an expected failure: its message says what to do. */
export function reportMigrationError(error: unknown): never {
  const { name, message } = error as Error;
  throw name === 'MigrationError' ? new CommandError(message) : error;
}

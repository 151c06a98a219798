import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { oldestPostgresBinaries } from './postgres-binaries.ts';
import { formatOutcome, formatSkippedGroups, formatSlowestFiles } from './test-outcome.ts';
import { runVitest } from './vitest.ts';

// `npm test`: all tests but the long forms, on real services, and those of the database's invariants also on the oldest supported
// PostgreSQL.
// Arguments after `--` are passed to vitest, which then runs only these: `npm test -- test/guards/isolation.test.ts`.
const args = process.argv.slice(2);
const isWholeRun = args.every((arg) => arg.startsWith('--') && !arg.startsWith('--project'));
const otherServer = process.env.TENANTSCOPE_POSTGRES_BIN ?? process.env.TENANTSCOPE_POSTGRES_URL;
const hasOldestPostgres = otherServer === undefined && existsSync(join(oldestPostgresBinaries, 'postgres'));
const outcome = await runVitest(isWholeRun ? ['--tags-filter=!torture', ...args] : args, {
  ...(isWholeRun ? { TENANTSCOPE_TEST_WHOLE_RUN: '1' } : {}),
  ...(isWholeRun && hasOldestPostgres ? { TENANTSCOPE_TEST_OLDEST_POSTGRES: oldestPostgresBinaries } : {}),
});
if (isWholeRun) for (const line of formatSlowestFiles(outcome, 10)) console.log(line);
// A filter by title skips whatever it does not match.
if (!args.some((arg) => /^(-t|--testNamePattern)/.test(arg))) {
  for (const line of formatSkippedGroups(outcome)) console.log(line);
  if (isWholeRun && !hasOldestPostgres)
    console.log(
      'skipped: tests on PostgreSQL 15, the oldest supported version (not installed, or another server is set)',
    );
}
console.log(formatOutcome(outcome));
process.exit(outcome.failed === 0 ? 0 : 1);

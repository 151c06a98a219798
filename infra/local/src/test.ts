import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { oldestPostgresBinaries } from './postgres-binaries.ts';
import {
  countFailures,
  formatFailures,
  formatOutcome,
  formatSkippedGroups,
  formatSlowestFiles,
  listFailedFiles,
  replaceFiles,
} from './test-outcome.ts';
import { runVitest } from './vitest.ts';

/** A defect fails alone as well. More failed files than this are not the work of a busy machine, and are not repeated. */
const mostRepeatedFiles = 5;

// `npm test`: all tests but the long forms, on real services, and those of the database's invariants also on the oldest supported
// PostgreSQL. A file that fails is repeated alone: on a machine without processor time to spare a limit of the product (a
// connection within 5 s, 503 for an overload) is reached. Tests that pass then are listed as such.
// Arguments after `--` are passed to vitest, which then runs only these, once: `npm test -- test/guards/isolation.test.ts`.
const args = process.argv.slice(2);
const isWholeRun = args.every((arg) => arg.startsWith('--') && !arg.startsWith('--project'));
const otherServer = process.env.TENANTSCOPE_POSTGRES_BIN ?? process.env.TENANTSCOPE_POSTGRES_URL;
const hasOldestPostgres = otherServer === undefined && existsSync(join(oldestPostgresBinaries, 'postgres'));
const environment = {
  ...(isWholeRun ? { TENANTSCOPE_TEST_WHOLE_RUN: '1' } : {}),
  ...(isWholeRun && hasOldestPostgres ? { TENANTSCOPE_TEST_OLDEST_POSTGRES: oldestPostgresBinaries } : {}),
};
const options = isWholeRun ? ['--tags-filter=!torture', ...args] : args;
const first = await runVitest(options, environment);
const failedFiles = listFailedFiles(first);
const isRepeated =
  isWholeRun && first.otherErrors === 0 && failedFiles.length > 0 && failedFiles.length <= mostRepeatedFiles;
const outcome = isRepeated
  ? replaceFiles(first, await runVitest([...options, '--no-file-parallelism', ...failedFiles], environment))
  : first;

if (isWholeRun) for (const line of formatSlowestFiles(outcome, 10)) console.log(line);
// A filter by title skips whatever it does not match.
if (!args.some((arg) => /^(-t|--testNamePattern)/.test(arg))) {
  for (const line of formatSkippedGroups(outcome)) console.log(line);
  if (isWholeRun && !hasOldestPostgres)
    console.log(
      'skipped: tests on PostgreSQL 15, the oldest supported version (not installed, or another server is set)',
    );
}
if (isRepeated)
  for (const failure of formatFailures(first))
    if (!formatFailures(outcome).includes(failure)) console.log(`failed, and passed when repeated alone: ${failure}`);
console.log(formatOutcome(outcome));
process.exit(countFailures(outcome) === 0 ? 0 : 1);

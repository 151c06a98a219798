import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addOutcomes, formatOutcome, type TestOutcome } from './test-outcome.ts';
import { runVitest } from './vitest.ts';

// `npm test`: all tests, on real services, then those of the database's invariants on the oldest supported PostgreSQL.
// Arguments after `--` are passed to vitest, which then runs only these: `npm test -- test/guards/isolation.test.ts`.
const args = process.argv.slice(2);
let outcome = await runVitest(args);
if (args.length === 0) outcome = addOutcomes(outcome, await runOnOldestPostgres());
console.log(formatOutcome(outcome));
process.exit(outcome.failed === 0 ? 0 : 1);

async function runOnOldestPostgres(): Promise<TestOutcome> {
  const binaries = '/usr/lib/postgresql/15/bin';
  const other = process.env.TENANTSCOPE_POSTGRES_BIN ?? process.env.TENANTSCOPE_POSTGRES_URL;
  if (other !== undefined || !existsSync(join(binaries, 'postgres'))) {
    console.log(
      'PostgreSQL 15, the oldest supported version: skipped, because it is not installed or another server is set',
    );
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const names = ['ingest/lane-invariants', 'ingest/partitions', 'ingest/redelivery', 'guards/privileges'];
  const files = names.map((name) => `test/${name}.test.ts`);
  return runVitest(['--project', 'services', ...files], { TENANTSCOPE_POSTGRES_BIN: binaries });
}

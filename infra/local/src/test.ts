import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { add, lineOf, type Outcome } from './outcome.ts';
import { runVitest } from './vitest.ts';

// `npm test`: everything, on real services, and the database's laws once more on the oldest server that is supported.
// Words after `--` go to vitest, and then nothing else is run: `npm test -- test/guards/walls.test.ts`.
const words = process.argv.slice(2);
let outcome = await runVitest(words);
if (words.length === 0) outcome = add(outcome, await onOldestPostgres());
console.log(lineOf(outcome));
process.exit(outcome.failed === 0 ? 0 : 1);

async function onOldestPostgres(): Promise<Outcome> {
  const binaries = '/usr/lib/postgresql/15/bin';
  const another = process.env.TENANTSCOPE_POSTGRES_BIN ?? process.env.TENANTSCOPE_POSTGRES_URL;
  if (another !== undefined || !existsSync(join(binaries, 'postgres'))) {
    console.log(
      'PostgreSQL 15, the oldest that is supported: skipped, since it is not installed or another server was named',
    );
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const laws = ['lane-laws', 'partitions', 'guards/rights', 'ingestion'];
  const files = laws.map((name) => `test/${name}.test.ts`);
  return runVitest(['--project', 'services', ...files], { TENANTSCOPE_POSTGRES_BIN: binaries });
}

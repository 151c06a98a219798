import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { lineOf } from './outcome.ts';
import { runVitest } from './vitest.ts';

// `npm run torture`: the long forms of the tests that draw lots. What a seed has found, the same seed finds again.
const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
const seed = values.seed ?? String(randomInt(2 ** 31));
console.log(`seed ${seed}`);
const chosen =
  positionals.length > 0
    ? positionals
    : ['test/torture/', 'test/guards/plans.test.ts', 'test/console/e2e/faults.test.ts'];
const outcome = await runVitest(['--project=services', ...chosen], {
  TENANTSCOPE_TORTURE: '1',
  TENANTSCOPE_TORTURE_SEED: seed,
});
console.log(`seed ${seed}`);
console.log(lineOf(outcome));
process.exit(outcome.failed === 0 ? 0 : 1);

import { randomInt } from 'node:crypto';
import { readScriptArguments } from './script-arguments.ts';
import { countFailures, formatOutcome } from './test-outcome.ts';
import { runVitest } from './vitest.ts';

// `npm run torture`: the long forms of the randomised tests, and the files with the tag `torture`. The same seed repeats the same run.
const { values, positionals } = readScriptArguments('npm run torture [-- [--seed N] [FILE …]]', {
  options: { seed: { type: 'string' } },
  allowPositionals: true,
});
const seed = values.seed ?? String(randomInt(2 ** 31));
console.log(`seed ${seed}`);
const files =
  positionals.length > 0
    ? positionals
    : [
        'test/torture/',
        'test/chart/',
        'test/compliance/exports-http.test.ts',
        'test/compliance/findings.test.ts',
        'test/collect/killed-collector.test.ts',
        'test/installation/compose-file.test.ts',
        'test/connections/',
        'test/cli/dead-letters-bulk.test.ts',
        'test/console/sign-in.test.ts',
        'test/evidence/large-pack.test.ts',
        'test/guards/feeds.test.ts',
        'test/guards/plans.test.ts',
        'test/ingest/kafka-clusters.test.ts',
        'test/bench/large-fill.test.ts',
        'test/ingest/breaker.test.ts',
        'test/ingest/older-protocol.test.ts',
        'test/ingest/offset-gaps.test.ts',
        'test/api/time-windows.test.ts',
        'test/console/e2e/faults.test.ts',
        'test/console/e2e/keyboard-navigation.test.ts',
        'test/console/e2e/playground',
        'test/console/e2e/secrets.test.ts',
        'test/console/e2e/screens.test.ts',
        'test/cli/client-packages.test.ts',
        'test/mcp/inspector.test.ts',
        'test/mcp/python-clients.test.ts',
        'test/console/http-security/hostile-input.test.ts',
        'test/records/record-convergence.test.ts',
        'test/entities/entity-convergence.test.ts',
        '.fuzz.test.ts',
        'infra/docs/test/promtool.test.ts',
      ];
// Fuzz tests and the test of the alert rules are unit tests; no other unit test matches the files.
const outcome = await runVitest(['--project=services', '--project=unit', ...files], {
  TENANTSCOPE_TORTURE: '1',
  TENANTSCOPE_TORTURE_SEED: seed,
});
console.log(`seed ${seed}`);
console.log(formatOutcome(outcome));
process.exit(countFailures(outcome) === 0 ? 0 : 1);

import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** Writes the number of errors outside of tests to the file TENANTSCOPE_TEST_ERRORS_FILE names: the JSON report does not have it. */
export default class UnhandledErrorsReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (_modules, errors) => {
    const file = process.env.TENANTSCOPE_TEST_ERRORS_FILE;
    if (file !== undefined) writeFileSync(file, String(errors.length));
  };
}

// @module-tag exhaustive
import { findReason, measureCoverage, readSharedFiles, sharedRecordsFolder } from '@tenantscope/docs';
import { describe, expect, test } from 'vitest';

const files = readSharedFiles(sharedRecordsFolder);
const title = files === null ? 'SKIPPED: ../shared/real-data is missing beside the checkout' : 'on published records';

describe.skipIf(files === null)(title, { tags: ['shared-records'] }, () => {
  test('a member is served in 95 % of the rows of its format, or there is a reason', { timeout: 120_000 }, () => {
    const measured = measureCoverage(files ?? []);
    const unexplained = measured.flatMap(({ format, members }) =>
      members
        .filter(({ path, present, served }) => served / present < 0.95 && findReason(format, path) === null)
        .map(({ path, example }) => ({ format, path, example })),
    );
    expect(measured.length).toBeGreaterThanOrEqual(13);
    expect(measured.find(({ format }) => format === 'o365.management-activity')?.records).toBeGreaterThan(2_500);
    expect(unexplained).toEqual([]);
  });
});

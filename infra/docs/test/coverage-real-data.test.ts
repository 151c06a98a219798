// @module-tag exhaustive
import { findReason, measureCoverage, readSharedFiles, sharedRecordsFolder } from '@tenantscope/docs';
import { describe, expect, test } from 'vitest';

const files = readSharedFiles(sharedRecordsFolder);
const title = files === null ? 'SKIPPED: ../shared/real-data is missing beside the checkout' : 'on published records';

describe.skipIf(files === null)(title, { tags: ['shared-records'] }, () => {
  test('a member of Management Activity records is served in 95 % of the rows, or there is a reason', () => {
    const own = (files ?? []).filter(({ format }) => format === 'o365.management-activity');
    const [measured] = measureCoverage(own);
    const unexplained = measured?.members.filter(
      ({ path, present, served }) => served / present < 0.95 && findReason('o365.management-activity', path) === null,
    );
    expect(measured?.records).toBeGreaterThan(2_500);
    expect(unexplained).toEqual([]);
  });
});

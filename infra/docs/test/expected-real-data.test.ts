// @module-tag exhaustive
import {
  compareFile,
  compareSeverities,
  listDisagreements,
  ratedLower,
  readExpectedFiles,
  rejectedExcerpts,
  sharedRecordsFolder,
} from '@tenantscope/docs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const files = readExpectedFiles(sharedRecordsFolder);
const title = files === null ? 'SKIPPED: ../shared/real-data is missing beside the checkout' : 'on published records';
const filesOf = (format: string) => (files ?? []).filter(({ expectedFormat }) => expectedFormat === format);

describe.skipIf(files === null)(title, { tags: ['shared-records'] }, () => {
  test('every file with expectations is compared', () => {
    const formats = new Set((files ?? []).map(({ expectedFormat }) => expectedFormat));
    expect(formats).toEqual(new Set(['elastic-ecs', 'panther-test']));
    expect(filesOf('elastic-ecs')).toHaveLength(19);
    expect(filesOf('panther-test')).toHaveLength(5);
  });

  describe.each(['UTC', 'America/New_York'])('with the process in %s', (zone) => {
    const zoneOfTheProcess = process.env.TZ;
    beforeAll(() => {
      process.env.TZ = zone;
      expect(new Date(2021, 0, 1).getTimezoneOffset()).toBe(zone === 'UTC' ? 0 : 300);
    });
    afterAll(() => {
      if (zoneOfTheProcess === undefined) delete process.env.TZ;
      else process.env.TZ = zoneOfTheProcess;
    });

    test.each(filesOf('elastic-ecs'))(
      '$name: each difference from what its authors expect is explained, and each explained one exists',
      (file) => {
        const comparison = compareFile(file);
        expect(listDisagreements(comparison)).toEqual([]);
        expect(comparison.paths.length).toBeGreaterThanOrEqual(3);
      },
    );
  });

  test('records on which rules of another product of medium or high severity alert are at least medium', () => {
    const compared = filesOf('panther-test').map(compareSeverities);
    expect(
      compared.flatMap(({ name, rejections }) =>
        Object.keys(rejections).length === 0 ? [] : [{ file: name, rejections }],
      ),
    ).toEqual(rejectedExcerpts.map(({ file, rejections }) => ({ file, rejections })));
    const lower = compared.flatMap((each) => each.lower);
    expect(lower.toSorted((a, b) => (a.rule < b.rule ? -1 : 1))).toEqual(
      ratedLower.map(({ rule, severity }) => ({ rule, severity })).toSorted((a, b) => (a.rule < b.rule ? -1 : 1)),
    );
    expect(compared.reduce((sum, { alerting }) => sum + alerting, 0)).toBeGreaterThanOrEqual(54);
  });
});

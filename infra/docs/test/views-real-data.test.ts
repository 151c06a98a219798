// @module-tag exhaustive
import { readSharedFiles, sharedRecordsFolder } from '@tenantscope/docs';
import { describe, expect, test } from 'vitest';
import { alertViews, expectValidViews, logViews } from './expect-views.ts';
import { readAlerts, readRows, readSharedAlerts } from './served-records.ts';

const files = readSharedFiles(sharedRecordsFolder);
const title = files === null ? 'SKIPPED: ../shared/real-data is missing beside the checkout' : 'on published records';

describe.skipIf(files === null)(title, { tags: ['shared-records'] }, () => {
  test('every row is valid in OCSF and in ECS', { timeout: 120_000 }, () => {
    const rows = (files ?? []).flatMap(({ format, lines }) =>
      [...new Set(lines)].flatMap((line) => readRows(format, line)),
    );
    const classes = new Map<number, number>();
    for (const row of rows) {
      const event = expectValidViews(logViews, row);
      classes.set(event.class_uid, (classes.get(event.class_uid) ?? 0) + 1);
    }
    expect(rows.length).toBeGreaterThan(3_000);
    expect(classes.size).toBeGreaterThan(9);
    // Actions without a rule are of the base class.
    expect((classes.get(0) ?? 0) / rows.length).toBeLessThan(0.1);
  });

  test('every alert is valid in OCSF and in ECS', { timeout: 120_000 }, () => {
    const alerts = readSharedAlerts().flatMap(({ format, line }) => readAlerts(format, line));
    expect(alerts.length).toBeGreaterThan(50);
    for (const alert of alerts) expectValidViews(alertViews, alert);
  });
});

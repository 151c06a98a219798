// @module-tag exhaustive
import { demoHistory, demoRecords, demoTenants } from '@tenantscope/demo';
import { describe, expect, test } from 'vitest';
import { alertViews, detectionViews, expectValidViews, logViews } from './expect-views.ts';
import { readDemoState, readRows } from './served-records.ts';

const endMs = Date.UTC(2026, 10, 20);

describe.each(demoTenants.map((tenant) => [tenant.name, tenant] as const))('%s', (_, tenant) => {
  test('every event is valid in OCSF and in ECS', { timeout: 120_000 }, () => {
    const classes = new Map<number, number>();
    let count = 0;
    for (const { format, record } of demoHistory({ tenant, endMs }))
      for (const row of readRows(format, JSON.stringify(record))) {
        const event = expectValidViews(logViews, row);
        classes.set(event.class_uid, (classes.get(event.class_uid) ?? 0) + 1);
        count++;
      }
    expect(count).toBeGreaterThan(500);
    expect((classes.get(0) ?? 0) / count).toBeLessThan(0.1);
    expect(classes.size).toBeGreaterThan(4);
  });

  test('every detection and every alert is valid in OCSF and in ECS', { timeout: 120_000 }, () => {
    let [detections, alerts] = [0, 0];
    for (const state of demoRecords({ tenant, endMs })) {
      const read = readDemoState(state);
      for (const detection of read.detections) expectValidViews(detectionViews, detection);
      for (const alert of read.alerts) expectValidViews(alertViews, alert);
      detections += read.detections.length;
      alerts += read.alerts.length;
    }
    expect(detections).toBeGreaterThan(10);
    expect(alerts).toBeGreaterThan(3);
  });
});

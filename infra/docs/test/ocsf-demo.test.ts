// @module-tag exhaustive
import { demoHistory, demoRecords, demoTenants } from '@tenantscope/demo';
import { toOcsfAlert, toOcsfDetection, toOcsfLog } from '@tenantscope/mapping';
import { describe, expect, test } from 'vitest';
import { findViolations } from './ocsf-validator.ts';
import { readDemoState, readRows } from './served-records.ts';

const endMs = Date.UTC(2026, 10, 20);

describe.each(demoTenants.map((tenant) => [tenant.name, tenant] as const))('%s', (_, tenant) => {
  test('every event is a valid event of OCSF', { timeout: 120_000 }, () => {
    const classes = new Map<number, number>();
    let count = 0;
    for (const { format, record } of demoHistory({ tenant, endMs }))
      for (const row of readRows(format, JSON.stringify(record))) {
        const event = toOcsfLog(row);
        expect(findViolations(event), JSON.stringify([row, event])).toEqual([]);
        classes.set(event.class_uid, (classes.get(event.class_uid) ?? 0) + 1);
        count++;
      }
    expect(count).toBeGreaterThan(500);
    expect((classes.get(0) ?? 0) / count).toBeLessThan(0.1);
    expect(classes.size).toBeGreaterThan(4);
  });

  test('every detection and every alert is a valid finding of OCSF', { timeout: 120_000 }, () => {
    let [detections, alerts] = [0, 0];
    for (const state of demoRecords({ tenant, endMs })) {
      const read = readDemoState(state);
      for (const event of [...read.detections.map(toOcsfDetection), ...read.alerts.map(toOcsfAlert)])
        expect(findViolations(event), JSON.stringify([state, event])).toEqual([]);
      detections += read.detections.length;
      alerts += read.alerts.length;
    }
    expect(detections).toBeGreaterThan(10);
    expect(alerts).toBeGreaterThan(3);
  });
});

import { randomUUID } from 'node:crypto';
import * as events from './events.ts';
import * as input from './input-records.ts';
import { many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs } = input;
const ago = (ms: number) => input.at(nowMs - ms);

const inOrder = { isCompliant: true, complianceState: 'compliant', isEncrypted: true, lastSyncAt: ago(30 * dayMs) };
/** Managed devices; the first ones have the given faults. */
const devices = (count: number, faulty: number, ...faults: readonly object[]) => [
  ...many(count, (index) =>
    input.device(`device${index}`, { ...inOrder, ...(index < faulty ? faults[index % faults.length] : {}) }),
  ),
  input.device('private', { isManaged: false, isCompliant: false, isEncrypted: false }),
  input.device('retired', { isCompliant: false, isEncrypted: false }),
  input.deletedEntity('device', 'retired'),
];

const access = (count: number, ageMs: number, isManaged: boolean | null, more: object = {}) =>
  many(count, () =>
    events.fileEvent('FileAccessed', randomUUID(), 'anna', nowMs - ageMs, {
      ...(isManaged === null ? {} : { IsManagedDevice: isManaged }),
      ...more,
    }),
  );
/** Events without an actor and events of another month do not count. */
const otherEvents = [
  ...access(3, 31 * dayMs, false),
  ...access(3, dayMs, false, { UserId: 'app@sharepoint', UserType: 5 }),
];

testOutcomes(requirementPrefixes.devices, {
  'dev.compliant': {
    met: {
      records: devices(20, 1, { isCompliant: true, complianceState: 'inGracePeriod' }),
      counts: { managed: 20, compliant: 19, compliantPct: 95 },
    },
    at_risk: {
      records: devices(
        20,
        3,
        { isCompliant: false, complianceState: 'noncompliant' },
        { isCompliant: null, complianceState: 'noncompliant' },
        { isCompliant: false, complianceState: null },
      ),
      counts: { managed: 20, compliant: 17, compliantPct: 85 },
    },
    not_met: {
      records: devices(20, 4, { isCompliant: false }),
      counts: { managed: 20, compliant: 16, compliantPct: 80 },
    },
    empty: { records: devices(0, 0), counts: { managed: 0, compliant: 0 } },
    untold: { records: [input.device('new')], counts: { managed: 1, compliant: null } },
    // Whether three of fifty devices are managed is not reported.
    unknown: {
      records: [...devices(47, 0), ...many(3, (index) => input.device(`any${index}`, { ...inOrder, isManaged: null }))],
      counts: { managed: 50, compliant: 47, unknown: 3 },
    },
  },
  'dev.encrypted': {
    met: { records: devices(50, 1, { isEncrypted: false }), counts: { managed: 50, encrypted: 49, encryptedPct: 98 } },
    at_risk: {
      records: devices(10, 1, { isEncrypted: false }),
      counts: { managed: 10, encrypted: 9, encryptedPct: 90 },
    },
    not_met: {
      records: devices(9, 1, { isEncrypted: false }),
      counts: { managed: 9, encrypted: 8, encryptedPct: 88.8 },
    },
    empty: { records: devices(0, 0), counts: { managed: 0, encrypted: 0 } },
    untold: { records: [input.device('new')], counts: { managed: 1, encrypted: null } },
    unknown: {
      records: devices(50, 2, { isEncrypted: null }),
      counts: { managed: 50, encrypted: 48, encryptedPct: 96, unknown: 2 },
    },
  },
  'dev.stale': {
    met: {
      records: devices(20, 1, { lastSyncAt: ago(30 * dayMs + 1) }),
      counts: { managed: 20, stale: 1, stalePct: 5 },
    },
    at_risk: {
      records: devices(20, 3, { lastSyncAt: ago(40 * dayMs) }),
      counts: { managed: 20, stale: 3, stalePct: 15 },
    },
    unknown: {
      records: devices(20, 3, { lastSyncAt: null }),
      counts: { managed: 20, stale: 3, stalePct: 15, unknown: 3 },
    },
    not_met: {
      records: devices(19, 3, { lastSyncAt: ago(40 * dayMs) }),
      counts: { managed: 19, stale: 3, stalePct: 15.8 },
    },
    empty: { records: devices(0, 0), counts: { managed: 0, stale: 0 } },
    untold: { records: [input.device('new')], counts: { managed: 1, stale: null } },
  },
  'dev.unmanaged_access': {
    met: {
      records: [...access(19, 30 * dayMs, true), ...access(1, 0, false), ...otherEvents],
      counts: { events: 20, unmanaged: 1, unknown: 0, unmanagedPct: 5 },
    },
    at_risk: {
      records: [...access(4, dayMs, true), ...access(1, dayMs, false), ...otherEvents],
      counts: { events: 5, unmanaged: 1, unknown: 0, unmanagedPct: 20 },
    },
    not_met: {
      records: [...access(3, dayMs, true), ...access(1, dayMs, false), ...otherEvents],
      counts: { events: 4, unmanaged: 1, unknown: 0, unmanagedPct: 25 },
    },
    unknown: {
      records: [...access(18, dayMs, true), ...access(2, dayMs, null), ...otherEvents],
      counts: { events: 20, unmanaged: 2, unknown: 2, unmanagedPct: 10 },
    },
    empty: { records: otherEvents, counts: { events: 0, unmanaged: 0, unknown: 0 } },
  },
});

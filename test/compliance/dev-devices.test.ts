import { randomUUID } from 'node:crypto';
import * as happened from './happened.ts';
import { many, nowMs, prefixesOf, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs } = said;
const ago = (ms: number) => said.at(nowMs - ms);

const inOrder = { isCompliant: true, complianceState: 'compliant', isEncrypted: true, lastSyncAt: ago(30 * dayMs) };
/** So many managed devices, of which the first are as `faults` says. */
const devices = (count: number, faulty: number, ...faults: readonly object[]) => [
  ...many(count, (index) =>
    said.device(`device${index}`, { ...inOrder, ...(index < faulty ? faults[index % faults.length] : {}) }),
  ),
  said.device('private', { isManaged: false, isCompliant: false, isEncrypted: false }),
  said.device('unknown', { isManaged: null, isCompliant: false }),
  said.device('retired', { isCompliant: false, isEncrypted: false }),
  said.gone('device', 'retired'),
];

const access = (count: number, ageMs: number, isManaged: boolean | null, more: object = {}) =>
  many(count, () =>
    happened.fileEvent('FileAccessed', randomUUID(), 'anna', nowMs - ageMs, {
      ...(isManaged === null ? {} : { IsManagedDevice: isManaged }),
      ...more,
    }),
  );
/** Neither events of nobody nor those of another month are looked at. */
const beside = [
  ...access(3, 31 * dayMs, false),
  ...access(3, dayMs, false, { UserId: 'app@sharepoint', UserType: 5 }),
  ...access(2, dayMs, null),
];

testOutcomes(prefixesOf.devices, {
  'dev.compliant': {
    met: {
      told: devices(20, 1, { isCompliant: true, complianceState: 'inGracePeriod' }),
      counts: { managed: 20, compliant: 19, compliantPct: 95 },
    },
    at_risk: {
      told: devices(
        20,
        3,
        { isCompliant: false, complianceState: 'noncompliant' },
        { isCompliant: null, complianceState: 'unknown' },
        { isCompliant: null, complianceState: null },
      ),
      counts: { managed: 20, compliant: 17, compliantPct: 85 },
    },
    not_met: { told: devices(20, 4, { isCompliant: false }), counts: { managed: 20, compliant: 16, compliantPct: 80 } },
    empty: { told: devices(0, 0), counts: { managed: 0, compliant: 0 } },
    untold: { told: [said.device('new')], counts: { managed: 1, compliant: null } },
  },
  'dev.encrypted': {
    met: { told: devices(50, 1, { isEncrypted: null }), counts: { managed: 50, encrypted: 49, encryptedPct: 98 } },
    at_risk: { told: devices(10, 1, { isEncrypted: false }), counts: { managed: 10, encrypted: 9, encryptedPct: 90 } },
    not_met: { told: devices(9, 1, { isEncrypted: false }), counts: { managed: 9, encrypted: 8, encryptedPct: 88.8 } },
    empty: { told: devices(0, 0), counts: { managed: 0, encrypted: 0 } },
    untold: { told: [said.device('new')], counts: { managed: 1, encrypted: null } },
  },
  'dev.stale': {
    met: {
      told: devices(20, 1, { lastSyncAt: ago(30 * dayMs + 1) }),
      counts: { managed: 20, stale: 1, stalePct: 5 },
    },
    at_risk: { told: devices(20, 3, { lastSyncAt: null }), counts: { managed: 20, stale: 3, stalePct: 15 } },
    not_met: { told: devices(19, 3, { lastSyncAt: null }), counts: { managed: 19, stale: 3, stalePct: 15.8 } },
    empty: { told: devices(0, 0), counts: { managed: 0, stale: 0 } },
    untold: { told: [said.device('new')], counts: { managed: 1, stale: null } },
  },
  'dev.unmanaged_access': {
    met: {
      told: [...access(19, 30 * dayMs, true), ...access(1, 0, false), ...beside],
      counts: { events: 20, unmanaged: 1, unknown: 2, unmanagedPct: 5 },
    },
    at_risk: {
      told: [...access(4, dayMs, true), ...access(1, dayMs, false), ...beside],
      counts: { events: 5, unmanaged: 1, unknown: 2, unmanagedPct: 20 },
    },
    not_met: {
      told: [...access(3, dayMs, true), ...access(1, dayMs, false), ...beside],
      counts: { events: 4, unmanaged: 1, unknown: 2, unmanagedPct: 25 },
    },
    empty: { told: beside, counts: { events: 0, unmanaged: 0, unknown: 2 } },
  },
});

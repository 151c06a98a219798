import * as input from '../../compliance/input-records.ts';
import { createException } from './accounts.ts';
import { type Chooser, count, daysAgo, type Part, times } from './part.ts';

/** Devices, with exceptions of devices without encryption. */
export function createDevices(choose: Chooser): Part {
  const devices = times(choose.size).map(() => ({
    isManaged: choose.maybe(true),
    isCompliant: choose.maybe(true),
    complianceState: choose.pick([null, 'compliant', 'compliant', 'compliant', 'inGracePeriod']),
    isEncrypted: choose.maybe(true),
    lastSyncAt: choose.pick([null, daysAgo(1), daysAgo(1), daysAgo(31)]),
  }));
  type Device = (typeof devices)[number];
  const managed = devices.filter((one) => one.isManaged !== false);
  const { exception, isCovered } = createException(choose, 'dev.encrypted', 'd');
  const isUnencrypted = (one: Device) => managed.includes(one) && !(one.isManaged && one.isEncrypted);
  const covered = devices.filter((one, index) => isCovered(index) && isUnencrypted(one));
  const hasCompliance = (one: Device) => one.isManaged && (one.isCompliant !== null || one.complianceState !== null);
  return {
    written: { devices: devices.map((one, index) => input.device(`d${index}`, one)), exceptions: [exception] },
    counts: {
      'dev.compliant': {
        managed: managed.length,
        compliant: count(
          managed,
          (one) => one.isManaged === true && one.isCompliant === true && one.complianceState !== 'inGracePeriod',
        ),
        unknown: count(managed, (one) => !hasCompliance(one)),
      },
      'dev.encrypted': {
        managed: managed.length,
        encrypted: count(managed, (one) => one.isManaged === true && one.isEncrypted === true),
        unknown: count(
          managed,
          (one) => (one.isManaged === null || one.isEncrypted === null) && !covered.includes(one),
        ),
        excepted: covered.length,
      },
      'dev.stale': {
        managed: managed.length,
        stale: count(managed, (one) => one.isManaged === null || one.lastSyncAt !== daysAgo(1)),
        unknown: count(managed, (one) => one.isManaged === null || one.lastSyncAt === null),
      },
    },
  };
}

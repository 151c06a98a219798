import { guidOf, numberOf } from '../chance.ts';
import type { Person } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import type { Device } from '../devices.ts';
import { entityState, momentBefore, type Picture, riskOf } from './picture.ts';
import { reference } from './users.ts';

export function deviceState(picture: Picture, device: Device, user: Person): DemoState {
  const { id, name, isManaged } = device;
  const [operatingSystem = '', osVersion = null] = device.operatingSystem.split(' ');
  const isCompliant = isManaged === true && numberOf(9, id, 'compliant') > 0;
  const maker = { Windows: 'Calder', MacOs: 'Apple', Ios: 'Apple', Android: 'Nordlys' }[operatingSystem] ?? null;
  return entityState(picture, 'device', id, {
    createdAt: momentBefore(picture, 800, id, 'created'),
    displayName: name,
    deviceId: id,
    managedDeviceId: isManaged === true ? guidOf(id, 'managed') : null,
    operatingSystem,
    osVersion,
    manufacturer: maker,
    model: maker === 'Calder' ? 'Calder 14' : null,
    trustType: isManaged === true ? 'entraJoined' : 'entraRegistered',
    ownership: isManaged === true ? 'company' : 'personal',
    isManaged: isManaged === true,
    isCompliant,
    complianceState: isManaged !== true ? 'unknown' : isCompliant ? 'compliant' : 'noncompliant',
    isEncrypted: isManaged === true,
    jailBroken: false,
    managementAgent: isManaged === true ? 'mdm' : null,
    primaryUserId: user.id,
    primaryUserName: user.displayName,
    enrolledAt: isManaged === true ? momentBefore(picture, 800, id, 'enrolled') : null,
    // Some lie in a drawer.
    lastSyncAt:
      isManaged === true ? momentBefore(picture, numberOf(14, id, 'drawer') === 0 ? 90 : 2, id, 'synced') : null,
    lastSignInAt: momentBefore(picture, 5, id, 'signed in'),
    riskLevel: isManaged === true && !isCompliant ? 'medium' : riskOf(picture, id),
    serialNumber: isManaged === true ? guidOf(id, 'serial').slice(0, 8).toUpperCase() : null,
    compliancePolicies:
      isManaged === true
        ? [{ id: guidOf('baseline'), name: 'Baseline', state: isCompliant ? 'compliant' : 'noncompliant' }]
        : [],
    registeredOwners: [reference(user)],
    detectedAppCount: isManaged === true ? 20 + numberOf(60, id, 'apps') : null,
    recentSignIns: [
      { userId: user.id, userName: user.displayName, occurredAt: momentBefore(picture, 5, id, 'signed in') },
    ],
  });
}

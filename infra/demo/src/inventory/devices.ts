import type { Person } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import type { Device } from '../devices.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import { createEntityState, deriveRisk, formatTimeBefore, type InventorySnapshot } from './inventory-snapshot.ts';
import { toReference } from './users.ts';

export function createDeviceState(snapshot: InventorySnapshot, device: Device, user: Person): DemoState {
  const { id, name, isManaged } = device;
  const [operatingSystem = '', osVersion = null] = device.operatingSystem.split(' ');
  const isCompliant = isManaged === true && deriveNumber(9, id, 'compliant') > 0;
  const maker = { Windows: 'Calder', MacOs: 'Apple', Ios: 'Apple', Android: 'Nordlys' }[operatingSystem] ?? null;
  return createEntityState(snapshot, 'device', id, {
    createdAt: formatTimeBefore(snapshot, 800, id, 'created'),
    displayName: name,
    deviceId: id,
    managedDeviceId: isManaged === true ? deriveGuid(id, 'managed') : null,
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
    enrolledAt: isManaged === true ? formatTimeBefore(snapshot, 800, id, 'enrolled') : null,
    // Some lie in a drawer.
    lastSyncAt:
      isManaged === true
        ? formatTimeBefore(snapshot, deriveNumber(14, id, 'drawer') === 0 ? 90 : 2, id, 'synced')
        : null,
    lastSignInAt: formatTimeBefore(snapshot, 5, id, 'signed in'),
    riskLevel: isManaged === true && !isCompliant ? 'medium' : deriveRisk(snapshot, id),
    serialNumber: isManaged === true ? deriveGuid(id, 'serial').slice(0, 8).toUpperCase() : null,
    compliancePolicies:
      isManaged === true
        ? [{ id: deriveGuid('baseline'), name: 'Baseline', state: isCompliant ? 'compliant' : 'noncompliant' }]
        : [],
    registeredOwners: [toReference(user)],
    detectedAppCount: isManaged === true ? 20 + deriveNumber(60, id, 'apps') : null,
    recentSignIns: [
      { userId: user.id, userName: user.displayName, occurredAt: formatTimeBefore(snapshot, 5, id, 'signed in') },
    ],
  });
}

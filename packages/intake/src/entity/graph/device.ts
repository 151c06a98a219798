import { deviceComplianceStates } from '@tenantscope/contract';
import { firstGuid } from '../../field/guid.ts';
import { firstText, toBoolean, toList, toObject, toText } from '../../json/value.ts';
import { matchValue, type SourceReader, sourceObject, toServedTime } from '../source-object.ts';

/**
 * The directory's device and the managed device are one entity where they share a device id, which log events carry too. All
 * zeros, or no id, means a device that is not joined: it is an entity of its own.
 */
export const graphDevice: SourceReader = (record) => {
  const deviceId = firstGuid(record.deviceId);
  return [
    sourceObject(record, {
      kind: 'device',
      id: deviceId ?? toText(record.id),
      names: [toText(record.id), deviceId],
      facts: {
        displayName: toText(record.displayName),
        deviceId,
        operatingSystem: toText(record.operatingSystem),
        osVersion: toText(record.operatingSystemVersion),
        manufacturer: firstText(record.manufacturer, record.Manufacturer),
        model: firstText(record.model, record.Model),
        trustType: trustTypes.get(toText(record.trustType)?.toLowerCase() ?? '') ?? null,
        ownership: readOwnership(toText(record.deviceOwnership)),
        isManaged: toBoolean(record.isManaged),
        isCompliant: toBoolean(record.isCompliant),
        managementAgent: toText(record.managementType),
        lastSignInAt: toServedTime(record.approximateLastSignInDateTime),
        registeredOwners:
          record.registeredOwners === undefined
            ? null
            : toList(record.registeredOwners).map((owner) => ({
                id: toText(toObject(owner).id),
                name: toText(toObject(owner).displayName),
              })),
        enrolledAt: toServedTime(record.registrationDateTime),
        createdAt: toServedTime(record.createdDateTime),
      },
    }),
  ];
};

export const graphManagedDevice: SourceReader = (record) => {
  const deviceId = firstGuid(record.azureADDeviceId);
  const complianceState = matchValue(deviceComplianceStates, toText(record.complianceState));
  return [
    sourceObject(record, {
      kind: 'device',
      id: deviceId ?? toText(record.id),
      names: [toText(record.id), deviceId],
      facts: {
        displayName: toText(record.deviceName),
        deviceId,
        managedDeviceId: toText(record.id),
        operatingSystem: toText(record.operatingSystem),
        osVersion: toText(record.osVersion),
        manufacturer: toText(record.manufacturer),
        model: toText(record.model),
        ownership: readOwnership(toText(record.managedDeviceOwnerType)),
        isManaged: true,
        isCompliant: complianceState === null || complianceState === 'unknown' ? null : complianceState === 'compliant',
        complianceState,
        isEncrypted: toBoolean(record.isEncrypted),
        jailBroken: toBoolean(record.jailBroken),
        managementAgent: toText(record.managementAgent),
        primaryUserId: firstGuid(record.userId),
        primaryUserName: firstText(record.userPrincipalName, record.userDisplayName),
        enrolledAt: toServedTime(record.enrolledDateTime),
        lastSyncAt: toServedTime(record.lastSyncDateTime),
        serialNumber: toText(record.serialNumber),
      },
    }),
  ];
};

function readOwnership(word: string | null): string | null {
  return matchValue(['company', 'personal', 'unknown'], word, 'unknown');
}

const trustTypes = new Map([
  ['azuread', 'entraJoined'],
  ['serverad', 'hybridJoined'],
  ['workplace', 'entraRegistered'],
]);

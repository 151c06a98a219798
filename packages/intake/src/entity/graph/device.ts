import { deviceComplianceStates } from '@tenantscope/contract';
import { firstGuid } from '../../field/guid.ts';
import { booleanOf, firstText, listOf, objectOf, textOf } from '../../json/value.ts';
import { moment, oneOf, type SourceFormat, sourceObject } from '../source-object.ts';

/**
 * The directory's device and device management's are one entity where they share a device id, which is also what log events carry. All
 * zeros, or none, means a device that is not joined: it stands alone.
 */
export const graphDevice: SourceFormat = (record) => {
  const deviceId = firstGuid(record.deviceId);
  return [
    sourceObject(record, {
      kind: 'device',
      id: deviceId ?? textOf(record.id),
      names: [textOf(record.id), deviceId],
      facts: {
        displayName: textOf(record.displayName),
        deviceId,
        operatingSystem: textOf(record.operatingSystem),
        osVersion: textOf(record.operatingSystemVersion),
        manufacturer: firstText(record.manufacturer, record.Manufacturer),
        model: firstText(record.model, record.Model),
        trustType: trustTypes.get(textOf(record.trustType)?.toLowerCase() ?? '') ?? null,
        ownership: ownershipOf(textOf(record.deviceOwnership)),
        isManaged: booleanOf(record.isManaged),
        isCompliant: booleanOf(record.isCompliant),
        managementAgent: textOf(record.managementType),
        lastSignInAt: moment(record.approximateLastSignInDateTime),
        registeredOwners:
          record.registeredOwners === undefined
            ? null
            : listOf(record.registeredOwners).map((owner) => ({
                id: textOf(objectOf(owner).id),
                name: textOf(objectOf(owner).displayName),
              })),
        enrolledAt: moment(record.registrationDateTime),
        createdAt: moment(record.createdDateTime),
      },
    }),
  ];
};

export const graphManagedDevice: SourceFormat = (record) => {
  const deviceId = firstGuid(record.azureADDeviceId);
  const complianceState = oneOf(deviceComplianceStates, textOf(record.complianceState));
  return [
    sourceObject(record, {
      kind: 'device',
      id: deviceId ?? textOf(record.id),
      names: [textOf(record.id), deviceId],
      facts: {
        displayName: textOf(record.deviceName),
        deviceId,
        managedDeviceId: textOf(record.id),
        operatingSystem: textOf(record.operatingSystem),
        osVersion: textOf(record.osVersion),
        manufacturer: textOf(record.manufacturer),
        model: textOf(record.model),
        ownership: ownershipOf(textOf(record.managedDeviceOwnerType)),
        isManaged: true,
        isCompliant: complianceState === null || complianceState === 'unknown' ? null : complianceState === 'compliant',
        complianceState,
        isEncrypted: booleanOf(record.isEncrypted),
        jailBroken: booleanOf(record.jailBroken),
        managementAgent: textOf(record.managementAgent),
        primaryUserId: firstGuid(record.userId),
        primaryUserName: firstText(record.userPrincipalName, record.userDisplayName),
        enrolledAt: moment(record.enrolledDateTime),
        lastSyncAt: moment(record.lastSyncDateTime),
        serialNumber: textOf(record.serialNumber),
      },
    }),
  ];
};

function ownershipOf(word: string | null): string | null {
  return oneOf(['company', 'personal', 'unknown'], word, 'unknown');
}

const trustTypes = new Map([
  ['azuread', 'entraJoined'],
  ['serverad', 'hybridJoined'],
  ['workplace', 'entraRegistered'],
]);

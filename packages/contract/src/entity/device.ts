import { get, list } from '../operation/operation.ts';
import { choices, flag, texts as textsFilter } from '../parameter/parameter.ts';
import { idReference } from '../record/id-reference.ts';
import { count, nullableBoolean, objects, openEnum, reference, referenceTo, text, timestamp } from './field.ts';
import {
  entityFilters,
  entityGetNotes,
  entityListNotes,
  entityListOptions,
  entityRecord,
  riskLevels,
} from './record.ts';

const trustTypes = ['entraJoined', 'hybridJoined', 'entraRegistered', 'unknown'] as const;
const ownerships = ['company', 'personal', 'unknown'] as const;
export const deviceComplianceStates = [
  'unknown',
  'compliant',
  'noncompliant',
  'conflict',
  'error',
  'inGracePeriod',
  'configManager',
] as const;

const device = entityRecord('Device', 'A computer or phone.', {
  displayName: text('Display name.'),
  deviceId: text('Device id in the directory, as log events carry it.'),
  managedDeviceId: text('Id in device management.'),
  operatingSystem: text('Operating system.'),
  osVersion: text('Its version.'),
  manufacturer: text('Manufacturer.'),
  model: text('Model.'),
  trustType: openEnum(trustTypes, 'How it is joined:'),
  ownership: openEnum(ownerships, 'Ownership:'),
  isManaged: nullableBoolean('Whether it is managed.'),
  isCompliant: nullableBoolean('Whether it is compliant.'),
  complianceState: openEnum(deviceComplianceStates, 'State of compliance:'),
  isEncrypted: nullableBoolean('Whether its storage is encrypted.'),
  jailBroken: nullableBoolean('Whether the device is jailbroken or rooted.'),
  managementAgent: text('Management agent.'),
  primaryUserId: idReference('user', 'Id of its primary user.'),
  primaryUserName: text('Its primary user.'),
  enrolledAt: timestamp('When it was enrolled.'),
  lastSyncAt: timestamp('Last contact with device management.'),
  lastSignInAt: timestamp('Last sign-in from it.'),
  riskLevel: openEnum(riskLevels, 'Risk:'),
});

const deviceDetail = device
  .extend({
    serialNumber: text('Serial number.'),
    compliancePolicies: objects('Compliance policies.', { ...reference, state: text('State.') }),
    registeredOwners: objects('Registered owners.', referenceTo('user')),
    detectedAppCount: count('Apps found on it.'),
    recentSignIns: objects('Recent sign-ins from it.', {
      userId: idReference('user', 'Id of the user.'),
      userName: text('User.'),
      occurredAt: timestamp('When.'),
    }),
  })
  .meta({ id: 'DeviceDetail', description: 'A device in full.' });

export const listDevices = list({
  ...entityListOptions,
  name: 'list_devices',
  path: '/devices',
  scope: 'devices:read',
  summary: 'Devices',
  description: `Devices with management state, compliance and owner. ${entityListNotes}`,
  toolDescription:
    'Computers and phones: operating system, compliance, management, risk, primary user. Next: get_device, list_logs with deviceId.',
  containsUntrustedText: true,
  record: device,
  filters: {
    operatingSystem: textsFilter('Operating system.', 'Windows'),
    isManaged: flag('Whether it is managed.'),
    isCompliant: flag('Whether it is compliant.', 'false'),
    ownership: choices(ownerships, 'Whose it is.', 'personal'),
    riskLevel: choices(riskLevels, 'Risk of the device.', 'medium,high'),
    primaryUserId: textsFilter('Its primary user.', '7b4c2f0e-6d2a-4c55-9b0e-2f3a1c9d8e11'),
    ...entityFilters('display name', 'desktop'),
  },
  examples: [
    { description: 'Managed devices that do not comply', input: { isManaged: 'true', isCompliant: 'false' } },
    { description: 'Personal devices', input: { ownership: 'personal', limit: '10' } },
  ],
});

export const getDevice = get({
  name: 'get_device',
  path: '/devices/{id}',
  scope: 'devices:read',
  summary: 'One device',
  description: `Looked up by id, object id, device id or id in device management. ${entityGetNotes}`,
  toolDescription: 'One device: owner and users, encryption, compliance, risk, last seen.',
  containsUntrustedText: true,
  exampleId: '739dec34-53dc-45b3-921d-75a25676df65',
  record: deviceDetail,
  examples: [],
});

import { idOf } from '../id-of.ts';
import { get, list } from '../operation.ts';
import { choices, flag, texts as textsFilter } from '../parameter.ts';
import { count, moment, objects, reference, referenceTo, text, word, yesNo } from './field.ts';
import { entityRecord, everyEntityFilters, everyEntityList, getWords, listWords, riskLevels } from './record.ts';

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
  trustType: word(trustTypes, 'How it is joined:'),
  ownership: word(ownerships, 'Whose it is:'),
  isManaged: yesNo('Whether it is managed.'),
  isCompliant: yesNo('Whether it complies.'),
  complianceState: word(deviceComplianceStates, 'State of compliance:'),
  isEncrypted: yesNo('Whether its storage is encrypted.'),
  jailBroken: yesNo('Whether its protection was broken by its user.'),
  managementAgent: text('What manages it.'),
  primaryUserId: idOf('user', 'Id of its primary user.'),
  primaryUserName: text('Its primary user.'),
  enrolledAt: moment('When it was enrolled.'),
  lastSyncAt: moment('Last contact with device management.'),
  lastSignInAt: moment('Last sign-in from it.'),
  riskLevel: word(riskLevels, 'Risk:'),
});

const deviceDetail = device
  .extend({
    serialNumber: text('Serial number.'),
    compliancePolicies: objects('Compliance policies.', { ...reference, state: text('State.') }),
    registeredOwners: objects('Registered owners.', referenceTo('user')),
    detectedAppCount: count('Apps found on it.'),
    recentSignIns: objects('Recent sign-ins from it.', {
      userId: idOf('user', 'Id of the user.'),
      userName: text('User.'),
      occurredAt: moment('When.'),
    }),
  })
  .meta({ id: 'DeviceDetail', description: 'A device with all that is known.' });

export const listDevices = list({
  ...everyEntityList,
  name: 'list_devices',
  path: '/devices',
  scope: 'devices:read',
  summary: 'Devices',
  description: `Whether the machine behind an event is managed, compliant, and whose it is. ${listWords}`,
  guidance:
    'Computers and phones: operating system, compliance, management, risk, primary user. Next: get_device, list_logs with deviceId.',
  textOfOthers: true,
  record: device,
  filters: {
    operatingSystem: textsFilter('Operating system.', 'Windows'),
    isManaged: flag('Whether it is managed.'),
    isCompliant: flag('Whether it complies.', 'false'),
    ownership: choices(ownerships, 'Whose it is.', 'personal'),
    riskLevel: choices(riskLevels, 'Risk of the device.', 'medium,high'),
    primaryUserId: textsFilter('Its primary user.', '7b4c2f0e-6d2a-4c55-9b0e-2f3a1c9d8e11'),
    ...everyEntityFilters('display name', 'desktop'),
  },
  examples: [
    { words: 'Managed devices that do not comply', input: { isManaged: 'true', isCompliant: 'false' } },
    { words: 'Personal devices', input: { ownership: 'personal' } },
  ],
});

export const getDevice = get({
  name: 'get_device',
  path: '/devices/{id}',
  scope: 'devices:read',
  summary: 'One device',
  description: `By id, object id, device id or id in device management. ${getWords}`,
  guidance: 'One device: owner and users, encryption, compliance, risk, last seen.',
  textOfOthers: true,
  exampleId: '739dec34-53dc-45b3-921d-75a25676df65',
  record: deviceDetail,
  examples: [],
});

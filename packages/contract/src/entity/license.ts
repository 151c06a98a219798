import { get, list } from '../operation/operation.ts';
import { count, nullableBoolean, objects, openEnum, reference, referenceTo, text } from './field.ts';
import { entityFilters, entityGetNotes, entityListNotes, entityListOptions, entityRecord } from './record.ts';

const appliesTo = ['user', 'company'] as const;
const capabilityStatuses = ['enabled', 'warning', 'suspended', 'deleted', 'lockedOut'] as const;

const license = entityRecord('License', 'A subscription of the tenant.', {
  skuId: text('Id of the product.'),
  skuPartNumber: text('Part number of the product.'),
  displayName: text('Display name.'),
  appliesTo: openEnum(appliesTo, 'Assigned to:'),
  capabilityStatus: openEnum(capabilityStatuses, 'Status:'),
  totalUnits: count('Units bought and enabled.'),
  consumedUnits: count('Units assigned.'),
  availableUnits: count('Units left.'),
  warningUnits: count('Units in their grace period.'),
  suspendedUnits: count('Units suspended.'),
  lockedOutUnits: count('Units locked out.'),
  isAiLicense: nullableBoolean('Whether it licenses AI.'),
  inactiveAssignedCount30d: count('Units assigned to users not active within 30 days.'),
});

const licenseDetail = license
  .extend({
    servicePlans: objects('Services in it.', { ...reference, provisioningStatus: text('Status.') }),
    assignedUsers: objects('Users it is assigned to.', referenceTo('user')),
  })
  .meta({ id: 'LicenseDetail', description: 'A subscription in full.' });

export const listLicenses = list({
  ...entityListOptions,
  name: 'list_licenses',
  path: '/licenses',
  scope: 'licenses:read',
  summary: 'Licenses',
  description: `License subscriptions with total, used and unused seats. ${entityListNotes}`,
  toolDescription: 'Licences and subscriptions: seats bought, assigned, unused. Use it for cost and Copilot adoption.',
  containsUntrustedText: false,
  record: license,
  filters: entityFilters('display name or part number', 'Microsoft_365_Copilot'),
  examples: [{ description: 'Copilot seats', input: { search: 'Microsoft_365_Copilot' } }],
});

export const getLicense = get({
  name: 'get_license',
  path: '/licenses/{id}',
  scope: 'licenses:read',
  summary: 'One license',
  description: `Looked up by id, product id or part number. ${entityGetNotes}`,
  toolDescription: 'One licence (SKU): seats bought, assigned, free, by service plan.',
  containsUntrustedText: false,
  exampleId: 'Microsoft_365_Copilot',
  record: licenseDetail,
  examples: [],
});

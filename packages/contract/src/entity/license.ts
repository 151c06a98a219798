import { get, list } from '../operation.ts';
import { count, objects, reference, referenceTo, text, word, yesNo } from './field.ts';
import { entityRecord, everyEntityFilters, everyEntityList, getWords, listWords } from './record.ts';

const appliesTo = ['user', 'company'] as const;
const capabilityStatuses = ['enabled', 'warning', 'suspended', 'deleted', 'lockedOut'] as const;

const license = entityRecord('License', 'A subscription of the tenant.', {
  skuId: text('Id of the product.'),
  skuPartNumber: text('Part number of the product.'),
  displayName: text('Display name.'),
  appliesTo: word(appliesTo, 'Who holds it:'),
  capabilityStatus: word(capabilityStatuses, 'Status:'),
  totalUnits: count('Units bought and enabled.'),
  consumedUnits: count('Units assigned.'),
  availableUnits: count('Units left.'),
  warningUnits: count('Units in their grace period.'),
  suspendedUnits: count('Units suspended.'),
  lockedOutUnits: count('Units locked out.'),
  isAiLicense: yesNo('Whether it licenses AI.'),
  inactiveAssignedCount30d: count('Units assigned to users not active within 30 days.'),
});

const licenseDetail = license
  .extend({
    servicePlans: objects('Services in it.', { ...reference, provisioningStatus: text('Status.') }),
    assignedUsers: objects('Users who hold it.', referenceTo('user')),
  })
  .meta({ id: 'LicenseDetail', description: 'A subscription with all that is known.' });

export const listLicenses = list({
  ...everyEntityList,
  name: 'list_licenses',
  path: '/licenses',
  scope: 'licenses:read',
  summary: 'Licenses',
  description: `How many seats there are, how many are used, and where they are wasted. ${listWords}`,
  guidance: 'Licences and subscriptions: seats bought, assigned, unused. Use it for cost and Copilot adoption.',
  textOfOthers: false,
  record: license,
  filters: everyEntityFilters('display name or part number', 'Microsoft_365_Copilot'),
  examples: [{ words: 'Copilot seats', input: { search: 'Microsoft_365_Copilot' } }],
});

export const getLicense = get({
  name: 'get_license',
  path: '/licenses/{id}',
  scope: 'licenses:read',
  summary: 'One license',
  description: `By id, product id or part number. ${getWords}`,
  guidance: 'One licence (SKU): seats bought, assigned, free, by service plan.',
  textOfOthers: false,
  exampleId: 'Microsoft_365_Copilot',
  record: licenseDetail,
  examples: [],
});

import type { listDevices } from '@tenantscope/contract';
import { equals, hiddenUnlessIncluded, type Resource, startsWith } from '../resource.ts';
import { entityColumns, entityLocation } from './location.ts';

export const deviceTable = entityColumns('device', {
  name_key: 'text',
  operating_system: 'text',
  is_managed: 'boolean',
  is_compliant: 'boolean',
  ownership: 'text',
  risk_level: 'text',
  primary_user_id: 'text',
});

export const devices: Resource<typeof listDevices> = {
  ...entityLocation('device', 'device'),
  conditions: {
    operatingSystem: equals('operating_system'),
    isManaged: equals('is_managed'),
    isCompliant: equals('is_compliant'),
    ownership: equals('ownership'),
    riskLevel: equals('risk_level'),
    primaryUserId: equals('primary_user_id'),
    search: startsWith('name_key'),
    includeDeleted: hiddenUnlessIncluded('not r.is_deleted'),
  },
};

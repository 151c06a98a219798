import type { listLicenses } from '@tenantscope/contract';
import { hiddenUnlessIncluded, type Resource, startsWith } from '../resource.ts';
import { entityColumns, entityLocation } from './location.ts';

export const licenseTable = entityColumns('license', {
  name_key: 'text',
  part_key: 'text',
});

export const licenses: Resource<typeof listLicenses> = {
  ...entityLocation('license', 'license'),
  conditions: {
    search: startsWith('name_key', 'part_key'),
    includeDeleted: hiddenUnlessIncluded('not r.is_deleted'),
  },
};

import type { listSites } from '@tenantscope/contract';
import { equals, hiddenUnlessIncluded, isTrue, type Resource, startsWith } from '../resource.ts';
import { entityColumns, entityLocation } from './location.ts';

export const siteTable = entityColumns('site', {
  name_key: 'text',
  site_type: 'text',
  external_sharing: 'text',
  everyone_access: 'boolean',
  is_excluded_from_ai: 'boolean',
  owner_id: 'text',
});

export const sites: Resource<typeof listSites> = {
  ...entityLocation('site', 'site'),
  conditions: {
    siteType: equals('site_type'),
    externalSharing: equals('external_sharing'),
    everyoneAccess: equals('everyone_access'),
    isExcludedFromAi: equals('is_excluded_from_ai'),
    hasNoOwner: isTrue('r.owner_id is null'),
    search: startsWith('name_key'),
    includeDeleted: hiddenUnlessIncluded('not r.is_deleted'),
  },
};

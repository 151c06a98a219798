import type { listFiles } from '@tenantscope/contract';
import { containsAny, equals, hiddenUnlessIncluded, type Resource, startsWith } from '../resource.ts';
import { entityColumns, entityLocation } from './location.ts';

export const fileTable = entityColumns('file', {
  name_key: 'text',
  site_id: 'text',
  owner_id: 'text',
  extension: 'text',
  sensitivity_label_id: 'text',
  sensitive_info_type_ids: 'text[]',
  sharing_scope: 'text',
  is_restricted: 'boolean',
  has_anonymous_link: 'boolean',
});

export const files: Resource<typeof listFiles> = {
  ...entityLocation('file', 'file'),
  conditions: {
    siteId: equals('site_id'),
    ownerId: equals('owner_id'),
    extension: equals('extension'),
    sensitivityLabelId: equals('sensitivity_label_id'),
    sensitiveInfoTypeId: containsAny('sensitive_info_type_ids'),
    sharingScope: equals('sharing_scope'),
    isRestricted: equals('is_restricted'),
    hasAnonymousLink: equals('has_anonymous_link'),
    search: startsWith('name_key'),
    includeDeleted: hiddenUnlessIncluded('not r.is_deleted'),
  },
};

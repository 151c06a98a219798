import type { listSensitiveInfoTypes } from '@tenantscope/contract';
import { equals, hiddenUnlessIncluded, isTrue, type Resource, startsWith } from '../resource.ts';
import { entityColumns, entityLocation } from './location.ts';

export const sensitiveInfoTypeTable = entityColumns('sensitive_info_type', {
  name_key: 'text',
  is_custom: 'boolean',
  restriction_level: 'text',
  external_user_count: 'bigint',
});

export const sensitiveInfoTypes: Resource<typeof listSensitiveInfoTypes> = {
  ...entityLocation('sensitive_info_type', 'sensitiveInfoType'),
  conditions: {
    isCustom: equals('is_custom'),
    restrictionLevel: equals('restriction_level'),
    hasExternalExposure: isTrue('r.external_user_count > 0'),
    search: startsWith('name_key'),
    includeDeleted: hiddenUnlessIncluded('not r.is_deleted'),
  },
};

import type { listGroups } from '@tenantscope/contract';
import { equals, hiddenUnlessIncluded, isTrue, type Resource, startsWith } from '../resource.ts';
import { entityColumns, entityLocation } from './location.ts';

export const groupTable = entityColumns('group', {
  name_key: 'text',
  mail_key: 'text',
  group_type: 'text',
  visibility: 'text',
  is_team: 'boolean',
  has_no_owner: 'boolean',
  guest_count: 'bigint',
  is_role_assignable: 'boolean',
});

export const groups: Resource<typeof listGroups> = {
  ...entityLocation('group', 'group'),
  conditions: {
    groupType: equals('group_type'),
    visibility: equals('visibility'),
    isTeam: equals('is_team'),
    hasNoOwner: equals('has_no_owner'),
    hasGuests: isTrue('r.guest_count > 0'),
    isRoleAssignable: equals('is_role_assignable'),
    search: startsWith('name_key', 'mail_key'),
    includeDeleted: hiddenUnlessIncluded('not r.is_deleted'),
  },
};

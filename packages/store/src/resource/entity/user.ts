import type { listUsers } from '@tenantscope/contract';
import { containsAny, equals, hiddenUnlessIncluded, type Resource, startsWith } from '../resource.ts';
import { entityColumns, entityLocation } from './location.ts';

export const userTable = entityColumns('user', {
  name_key: 'text',
  principal_key: 'text',
  mail_key: 'text',
  user_type: 'text',
  account_enabled: 'boolean',
  is_admin: 'boolean',
  is_external: 'boolean',
  risk_level: 'text',
  has_copilot_license: 'boolean',
  department: 'text',
  roles: 'text[]',
});

export const users: Resource<typeof listUsers> = {
  ...entityLocation('user', 'user'),
  conditions: {
    userType: equals('user_type'),
    accountEnabled: equals('account_enabled'),
    isAdmin: equals('is_admin'),
    isExternal: equals('is_external'),
    riskLevel: equals('risk_level'),
    hasCopilotLicense: equals('has_copilot_license'),
    department: equals('department'),
    role: containsAny('roles'),
    search: startsWith('name_key', 'principal_key', 'mail_key'),
    includeDeleted: hiddenUnlessIncluded('not r.is_deleted'),
  },
};

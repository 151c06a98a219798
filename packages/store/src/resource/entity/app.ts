import type { listApps } from '@tenantscope/contract';
import { equals, hiddenUnlessIncluded, type Resource, startsWith } from '../resource.ts';
import { entityColumns, entityLocation } from './location.ts';

export const appTable = entityColumns('app', {
  name_key: 'text',
  app_id: 'text',
  app_type: 'text',
  is_ai_app: 'boolean',
  has_tenant_wide_reach: 'boolean',
  has_admin_consent: 'boolean',
  is_verified_publisher: 'boolean',
  account_enabled: 'boolean',
  risk_level: 'text',
});

export const apps: Resource<typeof listApps> = {
  ...entityLocation('app', 'app'),
  conditions: {
    appType: equals('app_type'),
    isAiApp: equals('is_ai_app'),
    hasTenantWideReach: equals('has_tenant_wide_reach'),
    hasAdminConsent: equals('has_admin_consent'),
    isVerifiedPublisher: equals('is_verified_publisher'),
    accountEnabled: equals('account_enabled'),
    riskLevel: equals('risk_level'),
    search: startsWith('name_key'),
    includeDeleted: hiddenUnlessIncluded('not r.is_deleted'),
  },
};

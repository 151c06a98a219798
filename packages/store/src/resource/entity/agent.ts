import type { listAgents } from '@tenantscope/contract';
import { equals, hiddenUnlessIncluded, type Resource, startsWith } from '../resource.ts';
import { entityColumns, entityLocation } from './location.ts';

export const agentTable = entityColumns('agent', {
  name_key: 'text',
  evidence: 'text',
  kind: 'text',
  platform: 'text',
  lifecycle_status: 'text',
  publisher_type: 'text',
  is_blocked: 'boolean',
  has_tenant_wide_reach: 'boolean',
  owner_source: 'text',
  risk_level: 'text',
  available_to: 'text',
  deployed_to: 'text',
});

export const agents: Resource<typeof listAgents> = {
  ...entityLocation('agent', 'agent'),
  feed: 'agents',
  conditions: {
    kind: equals('kind'),
    evidence: equals('evidence'),
    platform: equals('platform'),
    lifecycleStatus: equals('lifecycle_status'),
    publisherType: equals('publisher_type'),
    isBlocked: equals('is_blocked'),
    hasTenantWideReach: equals('has_tenant_wide_reach'),
    ownerSource: equals('owner_source'),
    riskLevel: equals('risk_level'),
    availableTo: equals('available_to'),
    deployedTo: equals('deployed_to'),
    search: startsWith('name_key'),
    includeDeleted: hiddenUnlessIncluded('not r.is_deleted'),
  },
};

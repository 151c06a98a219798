import type { listPolicyScans } from '@tenantscope/contract';
import type { RecordTable } from '../ingest/record/record-batch.ts';
import { equals, type Resource } from './resource.ts';

export const policyScanTable: RecordTable = {
  name: 'policy_scan',
  columns: { severity: 'text', status: 'text', is_resolved: 'boolean', resource_type: 'text', policy_id: 'text' },
  times: ['scanned_at'],
  firstStamps: { first_seen_at: () => true },
};

export const policyScans: Resource<typeof listPolicyScans> = {
  feed: 'policyScans',
  table: 'models.policy_scan',
  axes: { scannedAt: 'scanned_at', updatedAt: 'updated_at' },
  conditions: {
    severity: equals('severity'),
    status: equals('status'),
    isResolved: equals('is_resolved'),
    resourceType: equals('resource_type'),
    policyId: equals('policy_id'),
  },
};

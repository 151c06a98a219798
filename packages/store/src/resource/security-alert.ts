import type { listSecurityAlerts } from '@tenantscope/contract';
import type { RecordTable } from '../ingest/record/record-batch.ts';
import { equals, isTrue, type Resource } from './resource.ts';

export const securityAlerts: Resource<typeof listSecurityAlerts> = {
  feed: 'securityAlerts',
  table: 'models.security_alert',
  axes: { createdDateTime: 'created_at', updatedAt: 'updated_at' },
  conditions: {
    severity: equals('severity'),
    status: equals('status'),
    classification: equals('classification'),
    category: equals('category'),
    serviceSource: equals('service_source'),
    isResolved: isTrue('r.is_resolved'),
  },
};

export const securityAlertTable: RecordTable = {
  name: 'security_alert',
  columns: {
    severity: 'text',
    status: 'text',
    classification: 'text',
    category: 'text',
    service_source: 'text',
    is_resolved: 'boolean',
  },
  times: ['created_at'],
  firstStamps: {
    first_seen_at: () => true,
    first_triaged_at: ({ columns: { status } }) => status === 'inProgress' || status === 'resolved',
  },
};

import type { listNotifications } from '@tenantscope/contract';
import type { RecordTable } from '../ingest/record/record-batch.ts';
import { equals, type Resource } from './resource.ts';

export const notificationTable: RecordTable = {
  name: 'notification',
  columns: {
    decision: 'text',
    source: 'text',
    kind: 'text',
    channel: 'text',
    severity: 'text',
    policy_id: 'text',
    subject_type: 'text',
    resource_id: 'text',
  },
  times: ['created_at'],
};

export const notifications: Resource<typeof listNotifications> = {
  feed: 'notifications',
  table: 'models.notification',
  axes: { createdAt: 'created_at', updatedAt: 'updated_at' },
  conditions: {
    decision: equals('decision'),
    source: equals('source'),
    kind: equals('kind'),
    channel: equals('channel'),
    severity: equals('severity'),
    policyId: equals('policy_id'),
    subjectType: equals('subject_type'),
    resourceId: equals('resource_id'),
  },
};

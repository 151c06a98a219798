import type { listActions } from '@tenantscope/contract';
import type { RecordTable } from '../ingest/record/record-batch.ts';
import { equals, type Resource } from './resource.ts';

export const actionTable: RecordTable = {
  name: 'action',
  columns: {
    rung: 'text',
    action_type: 'text',
    policy_id: 'text',
    actor_kind: 'text',
    resource_type: 'text',
    resource_id: 'text',
    is_simulated: 'boolean',
    is_irreversible: 'boolean',
    has_failures: 'boolean',
    revert_bucket: 'text',
    ledger: 'text',
    steps: 'text',
    settled_at: 'text',
  },
  times: ['created_at'],
  firstStamps: { first_seen_at: () => true },
};

export const actions: Resource<typeof listActions> = {
  feed: 'actions',
  table: 'models.action',
  axes: { createdAt: 'created_at', updatedAt: 'updated_at' },
  conditions: {
    rung: equals('rung'),
    actionType: equals('action_type'),
    policyId: equals('policy_id'),
    actorKind: equals('actor_kind'),
    resourceType: equals('resource_type'),
    resourceId: equals('resource_id'),
    isSimulated: equals('is_simulated'),
    isIrreversible: equals('is_irreversible'),
    hasFailures: equals('has_failures'),
    revertBucket: equals('revert_bucket'),
  },
};

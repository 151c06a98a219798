import type { listDetections } from '@tenantscope/contract';
import type { RecordTable } from '../ingest/record/record-batch.ts';
import { equals, hiddenUnlessIncluded, type Resource } from './resource.ts';

export const detectionTable: RecordTable = {
  name: 'detection',
  columns: {
    status: 'text',
    severity: 'text',
    kind: 'text',
    level: 'text',
    detector_id: 'text',
    entity_type: 'text',
    entity_id: 'text',
    action_group: 'text',
  },
  times: ['opened_at'],
  firstStamps: { first_seen_at: () => true },
};

export const detections: Resource<typeof listDetections> = {
  feed: 'detections',
  table: 'models.detection',
  axes: { openedAt: 'opened_at', updatedAt: 'updated_at' },
  conditions: {
    status: equals('status'),
    includeInfoTier: hiddenUnlessIncluded("r.level is distinct from 'informational'"),
    severity: equals('severity'),
    kind: equals('kind'),
    level: equals('level'),
    detectorId: equals('detector_id'),
    entityType: equals('entity_type'),
    entityId: equals('entity_id'),
    actionGroup: equals('action_group'),
  },
};

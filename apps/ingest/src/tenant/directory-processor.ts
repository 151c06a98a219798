import { createHash } from 'node:crypto';
import { readTenantRecord } from '@tenantscope/intake';
import {
  type DirectoryOutcome,
  type DirectoryState,
  type Ledger,
  writeDirectoryStates,
} from '@tenantscope/store/ingest';
import type { RejectedElement } from '../activity/prepare-slice.ts';
import { collectSettledReplays, createDeadLetter } from '../dead-letter/dead-letter.ts';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import { toMessage } from '../kafka/packed-records.ts';
import type { LaneProcessor } from '../lane/lane-pipeline.ts';
import { writeStep } from '../lane/lane-write.ts';
import { retryWhileUnavailable } from '../retry.ts';
import type { TenantCache } from './tenant-cache.ts';

export interface PreparedDirectorySlice {
  states: { record: number; state: DirectoryState }[];
  rejected: RejectedElement[];
}

/** Processes lanes of the tenant topic: organizations, tenants and plans, which only newer versions replace. */
export function createDirectoryProcessor({
  ledger,
  tenants,
  metrics,
}: {
  ledger: Ledger;
  tenants: TenantCache;
  metrics: IngestMetrics;
}): LaneProcessor<PreparedDirectorySlice> {
  return {
    evaluateBreaker: () => null,
    prepare: async (records) => prepareDirectorySlice(records),
    async write({ lane, fromOffset, toOffset, records, prepared }, isActive) {
      let applied: DirectoryOutcome[] = [];
      const rejected = () => [
        ...prepared.rejected,
        ...prepared.states.flatMap(({ record, state }, index) => {
          if (applied[index] === 'conflict') return [createConflict(record, state)];
          return applied[index] === 'otherOrganization' ? [createOrganizationChange(record, state)] : [];
        }),
      ];
      const startedAtMs = performance.now();
      const settledReplays = collectSettledReplays(records, prepared.rejected);
      const outcome = await writeStep(
        ledger,
        { metrics, isActive },
        { lane, fromOffset, toOffset, settledReplays },
        async (client) => {
          applied = await writeDirectoryStates(
            client,
            prepared.states.map(({ state }) => state),
          );
          return rejected().map((each) => createDeadLetter(lane, records[each.record] as KafkaRecord, each));
        },
      );
      // The control database has no list of moving tenants: its step is never prepared again.
      if (outcome !== 'written') return outcome === 'moved' ? 'abandoned' : outcome;
      metrics.recordBatch(lane, {
        records: records.length,
        rows: applied.filter((each) => each === 'applied').length,
        duplicates: applied.filter((each) => each === 'same').length,
        rejected: rejected(),
        durationMs: performance.now() - startedAtMs,
      });
      if (applied.includes('applied'))
        await retryWhileUnavailable(tenants.refresh, { shouldRetry: isActive, onRetry: metrics.recordRetry });
      return 'written';
    },
  };
}

function prepareDirectorySlice(records: readonly KafkaRecord[]): PreparedDirectorySlice {
  const prepared: PreparedDirectorySlice = { states: [], rejected: [] };
  records.forEach((message, record) => {
    const outcome = readTenantRecord(toMessage(message), Date.now());
    if (outcome.kind === 'skip') return;
    if (outcome.kind === 'rejected') {
      const { tenantId, reason, stage, detail } = outcome;
      prepared.rejected.push({ record, element: 0, tenantId, reason, stage, detail, format: null });
      return;
    }
    const { id, name, version } = outcome.record;
    // Of the parsed state with its members sorted: two spellings of one state have one digest.
    const digest = createHash('sha256')
      .update(JSON.stringify(outcome.record, Object.keys(outcome.record).sort()))
      .digest();
    prepared.states.push({
      record,
      state:
        outcome.kind === 'organization'
          ? { kind: 'organization', id, name, version, digest }
          : {
              kind: 'tenant',
              id,
              name,
              version,
              digest,
              organizationId: outcome.record.organizationId,
              azureTenantId: outcome.record.azureTenantId,
              plan: outcome.record.plan,
              timeZone: outcome.record.timeZone ?? 'UTC',
            },
    });
  });
  return prepared;
}

/** A record alone never moves a tenant: the keys of its new organization would read its logs. */
const createOrganizationChange = (record: number, { id }: DirectoryState): RejectedElement => ({
  record,
  element: 0,
  tenantId: id,
  reason: 'ORGANIZATION_CHANGE',
  stage: 'project',
  detail:
    'the tenant belongs to another organization than member organizationId, and no record can move it; run "tenantscope tenant move" if it is to move, then replay this dead letter',
  format: 'tenant',
});

const createConflict = (record: number, state: DirectoryState): RejectedElement => ({
  record,
  element: 0,
  tenantId: state.kind === 'tenant' ? state.id : null,
  reason: 'VERSION_CONFLICT',
  stage: 'project',
  detail: `version ${state.version} of this ${state.kind} already exists with different content`,
  format: state.kind,
});

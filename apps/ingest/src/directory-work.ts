import { createHash } from 'node:crypto';
import { readTenantRecord } from '@tenantscope/intake';
import { type Applied, type DirectoryState, type Ledger, writeDirectoryStates } from '@tenantscope/store';
import type { LaneWork } from './lane-runner.ts';
import { deadLetterOf, settledLettersOf } from './letters.ts';
import type { Observations } from './observations.ts';
import { messageOf } from './packed-records.ts';
import { persist } from './persist.ts';
import type { Rejected } from './prepare.ts';
import type { ArrivedRecord } from './reader.ts';
import type { KnownTenants } from './tenants.ts';
import { writeStep } from './write-step.ts';

export interface PreparedDirectorySlice {
  states: { record: number; state: DirectoryState }[];
  rejected: Rejected[];
}

/** The work of a lane of the tenant topic: organizations, tenants and plans, upward by version only. */
export function directoryWork(parts: {
  ledger: Ledger;
  tenants: KnownTenants;
  observed: Observations;
}): LaneWork<PreparedDirectorySlice> {
  const { ledger, tenants, observed } = parts;
  return {
    judge: () => null,
    prepare: async (records) => prepareDirectorySlice(records),
    async write({ lane, fromOffset, toOffset, records, prepared }, wanted) {
      let applied: Applied[] = [];
      const rejected = () => [
        ...prepared.rejected,
        ...prepared.states.flatMap(({ record, state }, index) =>
          applied[index] === 'conflict' ? [conflictOf(record, state)] : [],
        ),
      ];
      const beganAt = performance.now();
      const settledLetters = settledLettersOf(
        records,
        (index) => !prepared.rejected.some(({ record }) => record === index),
      );
      const outcome = await writeStep(
        { ledger, observed, wanted },
        { lane, fromOffset, toOffset, settledLetters },
        async (client) => {
          applied = await writeDirectoryStates(
            client,
            prepared.states.map(({ state }) => state),
          );
          return rejected().map((one) => deadLetterOf(lane, records[one.record] as ArrivedRecord, one));
        },
      );
      if (outcome !== 'written') return outcome;
      observed.batch(lane, {
        records: records.length,
        rows: applied.filter((one) => one === 'applied').length,
        duplicates: applied.filter((one) => one === 'same').length,
        rejected: rejected(),
        durationMs: performance.now() - beganAt,
      });
      if (applied.includes('applied')) await persist(tenants.refresh, { wanted, paused: observed.waiting });
      return 'written';
    },
  };
}

function prepareDirectorySlice(records: readonly ArrivedRecord[]): PreparedDirectorySlice {
  const prepared: PreparedDirectorySlice = { states: [], rejected: [] };
  records.forEach((message, record) => {
    const outcome = readTenantRecord(messageOf(message));
    if (outcome.kind === 'skip') return;
    if (outcome.kind === 'rejected') {
      const { tenantId, reason, stage, detail } = outcome;
      prepared.rejected.push({ record, element: 0, tenantId, reason, stage, detail, format: null });
      return;
    }
    const { id, name, version } = outcome.record;
    // Of the state as it was read, in one order of members: two spellings of one state are one state.
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

const conflictOf = (record: number, state: DirectoryState): Rejected => ({
  record,
  element: 0,
  tenantId: state.kind === 'tenant' ? state.id : null,
  reason: 'VERSION_CONFLICT',
  stage: 'project',
  detail: `version ${state.version} of this ${state.kind} stands with other content`,
  format: state.kind,
});

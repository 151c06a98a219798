import { auditParts, createSightingParts, mergeAlertEvidence, readSightedId } from '@tenantscope/intake';
import { createAgentSightings, type LogMerging } from '@tenantscope/store/ingest';
import { mergeStoredParts } from '../record/entity-changes.ts';

/** How log rows change alerts and agents; one per assigned lane, because it remembers which agents were written, and what the database loses is read again by its lane. */
export function createLogMerging(): LogMerging {
  return {
    mergeEvidence: mergeAlertEvidence,
    agents: createAgentSightings({
      parts: auditParts,
      readId: readSightedId,
      createParts: createSightingParts,
      merge: mergeStoredParts,
    }),
  };
}

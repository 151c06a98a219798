import {
  auditParts,
  createSightingParts,
  mergeAlertEvidence,
  mergeEntity,
  readSightedId,
  type StoredPart,
} from '@tenantscope/intake';
import { createAgentSightings, type LogMerging, type MergeParts } from '@tenantscope/store/ingest';

/** As ingestion merges them. */
export const mergeParts: MergeParts = (kind, parts) => mergeEntity(kind, parts as readonly StoredPart[]);

/** How log rows change alerts and agents, as in one assigned lane: it remembers which agents it wrote. */
export function createLogMerging(): LogMerging {
  return {
    mergeEvidence: mergeAlertEvidence,
    agents: createAgentSightings({
      parts: auditParts,
      readId: readSightedId,
      createParts: createSightingParts,
      merge: mergeParts,
    }),
  };
}

import { createRemoval, readRecords } from '@tenantscope/intake';
import type { EntityChange } from '@tenantscope/store/ingest';
import type { deletionMessage, entityMessage } from '../installation/entity-messages.ts';

const context = {
  findTenant: () => ({ azureTenantId: null }),
  nowMs: Date.UTC(2026, 10, 4),
  maxValueBytes: 1e6,
  onlyElement: null,
};

/** The change that intake reads from a message about one entity. Throws when the record is rejected. */
export function readChange(
  message: ReturnType<typeof entityMessage> | ReturnType<typeof deletionMessage>,
): EntityChange {
  const [outcome] = readRecords('entity', message as never, context);
  if (outcome?.kind === 'part') return outcome.part;
  if (outcome?.kind === 'removed' && outcome.table === 'entity') return createRemoval(outcome);
  throw new Error(JSON.stringify(outcome));
}

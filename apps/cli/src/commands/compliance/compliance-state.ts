import { formatTime } from '@tenantscope/contract';
import { formatRecordKey, readRecords } from '@tenantscope/intake';
import { createCloudEventMessage } from '@tenantscope/publish';
import type { Tenant } from '@tenantscope/store/admin';
import { usageError } from '../../command-error.ts';

/** The current time in microseconds since 1970: the version of a state. */
export const readMicroseconds = (): number => Math.floor((performance.timeOrigin + performance.now()) * 1_000);

/** A state like one received from Kafka: parsed by the same reader, so that it is subject to the same rules. */
export function createComplianceState(
  { id: tenantId, azureTenantId }: Tenant,
  kind: 'attestation' | 'awareness' | 'exception',
  {
    id,
    versionMicroseconds,
    members,
  }: {
    readonly id: string;
    readonly versionMicroseconds: number;
    readonly members: object;
  },
) {
  const nowMs = Math.floor(versionMicroseconds / 1_000);
  const changedAt = formatTime(nowMs).replace('Z', `${String(versionMicroseconds % 1_000).padStart(3, '0')}Z`);
  const message = createCloudEventMessage({
    id: `${id}:${versionMicroseconds}`,
    source: '/platform/command-line',
    type: `tenantscope.compliance.${kind}.upserted.v1`,
    tenantId,
    timeMs: nowMs,
    value: Buffer.from(JSON.stringify({ ...members, id, tenantId, version: versionMicroseconds, changedAt })),
    key: formatRecordKey(tenantId, kind, id),
  });
  const context = { findTenant: () => ({ azureTenantId }), nowMs, maxValueBytes: 1_048_576, onlyElement: null };
  const [outcome] = readRecords('compliance', { ...message, key: Buffer.from(String(message.key)) }, context);
  if (outcome?.kind === 'state') return outcome.state;
  throw usageError(outcome?.kind === 'rejected' ? outcome.detail : `the ${kind} cannot be parsed`);
}

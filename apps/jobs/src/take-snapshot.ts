import { randomUUID } from 'node:crypto';
import { type ComplianceSnapshot, formatTime, snapshotDigestMembers } from '@tenantscope/contract';
import { digestJson, type JsonObject, type SigningKey, signDetached } from '@tenantscope/proof';
import { type ChainEnd, extendSnapshotChain, type SnapshotRow } from '@tenantscope/store/snapshots';

type Pool = Parameters<typeof extendSnapshotChain>[0];

export interface SnapshotDependencies {
  readonly models: Pool;
  /** The status of a tenant at the time of its facts, or at this time if that is later. It includes the snapshot that is taken then. */
  evaluate(tenant: SnapshotTenant, earliestMs: number): Promise<StatusDocument>;
  /** Null: digests are not signed. The key may be rotated while the process runs. */
  readonly readSigningKey: () => Promise<SigningKey | null>;
}

export interface SnapshotTenant {
  readonly id: string;
  readonly connectedAtMs: number;
}

export type StatusDocument = JsonObject & { readonly catalogueVersion: string; readonly generatedAt: string };

export type SnapshotTrigger =
  | { readonly kind: 'period'; readonly period: string; readonly endMs: number }
  | { readonly kind: 'request'; readonly requestId: string; readonly requestedBy: string };

/**
 * Takes one snapshot and appends it to the tenant's chain. Null when the week already has its snapshot or the request is settled.
 * Throws what `evaluate` throws, StoreUnavailable and QueryTimedOut; then nothing is written.
 */
export async function takeSnapshot(
  { models, evaluate, readSigningKey }: SnapshotDependencies,
  tenant: SnapshotTenant,
  trigger: SnapshotTrigger,
): Promise<SnapshotRow | null> {
  return extendSnapshotChain(models, tenant.id, trigger, async (end) => {
    const status = await evaluate(tenant, nextSnapshotTime(end));
    // That of the facts: they are read after the chain, and a fact may have been stored in between.
    const takenAtMs = Date.parse(status.generatedAt);
    return signSnapshot({ takenAtMs, trigger, status, previousSha256: end.sha256 }, await readSigningKey());
  });
}

/** The database's clock may repeat or go back; the times of a chain never do. */
function nextSnapshotTime({ clockMs, takenAtMs }: ChainEnd): number {
  return takenAtMs === null ? clockMs : Math.max(clockMs, takenAtMs + 1);
}

export interface UnsignedSnapshot {
  readonly takenAtMs: number;
  readonly trigger: SnapshotTrigger;
  readonly status: StatusDocument;
  readonly previousSha256: string | null;
}

/** The row of a snapshot with its document and its digest, which covers the digest of its predecessor. */
async function signSnapshot(
  { takenAtMs, trigger, status, previousSha256 }: UnsignedSnapshot,
  signingKey: SigningKey | null,
): Promise<SnapshotRow> {
  const facts = {
    id: randomUUID(),
    takenAt: formatTime(takenAtMs),
    ...(trigger.kind === 'period'
      ? ({
          trigger: 'scheduled',
          takenBy: 'scheduler',
          period: trigger.period,
          late: takenAtMs >= trigger.endMs,
        } as const)
      : ({ trigger: 'manual', takenBy: trigger.requestedBy, period: null, late: false } as const)),
    catalogueVersion: status.catalogueVersion,
    previousSha256,
  };
  const whole = { ...facts, status };
  const sha256 = await digestJson(Object.fromEntries(snapshotDigestMembers.map((name) => [name, whole[name]])));
  const signature = signingKey ? await signDetached(sha256, signingKey) : null;
  const document: ComplianceSnapshot = { ...facts, sha256, signature, status };
  return { ...facts, sha256, signature, document: JSON.stringify(document) };
}

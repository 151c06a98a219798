import { randomUUID } from 'node:crypto';
import { type ComplianceSnapshot, sealedSnapshotMembers, showTime } from '@tenantscope/contract';
import { digestOf, type JsonObject, type SigningKey, signDetached } from '@tenantscope/proof';
import { type ChainEnd, extendSnapshotChain, type SnapshotRow } from '@tenantscope/store';

type Pool = Parameters<typeof extendSnapshotChain>[0];

/** What taking a snapshot needs. */
export interface Taking {
  readonly models: Pool;
  /** The status of a tenant at an instant, with a snapshot of that very instant counted in. */
  evaluate(tenant: SnapshotTenant, takenAtMs: number): Promise<StatusDocument>;
  /** Null: digests are not signed. */
  readonly signingKey: SigningKey | null;
}

export interface SnapshotTenant {
  readonly id: string;
  readonly connectedAtMs: number;
}

export type StatusDocument = JsonObject & { readonly catalogueVersion: string };

export type Occasion =
  | { readonly kind: 'period'; readonly period: string; readonly endMs: number }
  | { readonly kind: 'request'; readonly requestId: string; readonly requestedBy: string };

/**
 * Takes one snapshot and links it to the tenant's chain. Null when the occasion is past: the week has its snapshot, the request is settled.
 * Throws what evaluating throws, StoreUnavailable and QueryTimedOut; then nothing is written.
 */
export async function takeSnapshot(
  { models, evaluate, signingKey }: Taking,
  tenant: SnapshotTenant,
  occasion: Occasion,
): Promise<SnapshotRow | null> {
  return extendSnapshotChain(models, tenant.id, occasion, async (end) => {
    const takenAtMs = nextInstant(end);
    const status = await evaluate(tenant, takenAtMs);
    return seal({ takenAtMs, occasion, status, previousSha256: end.sha256 }, signingKey);
  });
}

/** The clock may stand still or go back; the chain's times never do. */
export function nextInstant({ clockMs, takenAtMs }: ChainEnd): number {
  return takenAtMs === null ? clockMs : Math.max(clockMs, takenAtMs + 1);
}

export interface Unsealed {
  readonly takenAtMs: number;
  readonly occasion: Occasion;
  readonly status: StatusDocument;
  readonly previousSha256: string | null;
}

/** The row of a snapshot with its digest, which is over its predecessor's too, and its finished document. */
export async function seal(
  { takenAtMs, occasion, status, previousSha256 }: Unsealed,
  signingKey: SigningKey | null,
): Promise<SnapshotRow> {
  const facts = {
    id: randomUUID(),
    takenAt: showTime(takenAtMs),
    ...(occasion.kind === 'period'
      ? ({
          trigger: 'scheduled',
          takenBy: 'scheduler',
          period: occasion.period,
          late: takenAtMs >= occasion.endMs,
        } as const)
      : ({ trigger: 'manual', takenBy: occasion.requestedBy, period: null, late: false } as const)),
    catalogueVersion: status.catalogueVersion,
    previousSha256,
  };
  const whole = { ...facts, status };
  const sha256 = await digestOf(Object.fromEntries(sealedSnapshotMembers.map((name) => [name, whole[name]])));
  const signature = signingKey ? await signDetached(sha256, signingKey) : null;
  const document: ComplianceSnapshot = { ...facts, sha256, signature, status };
  return { ...facts, sha256, signature, document: JSON.stringify(document) };
}

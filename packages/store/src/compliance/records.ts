import type pg from 'pg';

/** A record about a tenant as it was told, with what decides between two of them. */
export interface ReportedRecord<Payload> {
  readonly version: number;
  /** SHA-256 of the payload, lower-case hexadecimal. */
  readonly digest: string;
  readonly changedAtMs: number;
  readonly payload: Payload;
}

export interface AttestationPayload {
  readonly requirementKey: string;
  readonly subject?: { readonly type: string; readonly id: string } | null;
  readonly verdict: 'compliant' | 'partial' | 'non_compliant' | 'not_applicable';
  readonly justification?: string | null;
  readonly attestedBy: string;
  readonly attestedAt: string;
  readonly validUntil?: string | null;
  readonly evidenceRefs?: readonly string[] | null;
}

export interface FrameworkSelectionPayload {
  readonly framework: string;
  readonly selected: boolean;
}

export interface TenantFactPayload {
  readonly key: string;
  readonly value: boolean;
}

/** What people declared about a tenant. */
export interface Declarations {
  readonly attestations: readonly ReportedRecord<AttestationPayload>[];
  readonly frameworkSelections: readonly ReportedRecord<FrameworkSelectionPayload>[];
  readonly tenantFacts: readonly ReportedRecord<TenantFactPayload>[];
}

interface Row {
  readonly kind: string;
  readonly version: number;
  readonly digest: string;
  readonly changed_at_ms: number;
  readonly facts: unknown;
}

/** All of them, the newest state of each record; several may speak of one thing. */
export async function readDeclarations(client: pg.ClientBase, tenantId: string): Promise<Declarations> {
  const { rows } = await client.query<Row>(
    `select r.kind, r.version::float8 as version, encode(r.digest, 'hex') as digest, (extract(epoch from r.changed_at) * 1000)::float8 as changed_at_ms, r.facts
       from models.compliance_record r
      where r.tenant_id = $1 and r.kind in ('attestation', 'frameworkSelection', 'tenantFact')
      order by r.kind, r.id`,
    [tenantId],
  );
  const recordsOfKind = <Payload>(kind: string): ReportedRecord<Payload>[] =>
    rows
      .filter((row) => row.kind === kind)
      .map(({ version, digest, changed_at_ms, facts }) => ({
        version,
        digest,
        changedAtMs: changed_at_ms,
        payload: facts as Payload,
      }));
  return {
    attestations: recordsOfKind('attestation'),
    frameworkSelections: recordsOfKind('frameworkSelection'),
    tenantFacts: recordsOfKind('tenantFact'),
  };
}

/** A snapshot that was kept. */
export interface SnapshotSummary {
  readonly id: string;
  readonly takenAtMs: number;
  readonly trigger: string;
  readonly catalogueVersion: string;
  /** As it is served, JSON text. */
  readonly document: string;
}

/** The tenant's latest snapshot; null before the first. */
export async function readLatestSnapshot(client: pg.ClientBase, tenantId: string): Promise<SnapshotSummary | null> {
  const { rows } = await client.query<SnapshotSummary>(
    `select s.id, (extract(epoch from s.taken_at) * 1000)::float8 as "takenAtMs", s.trigger, s.catalogue_version as "catalogueVersion", s.document
       from models.compliance_snapshot s where s.tenant_id = $1 order by s.taken_at desc, s.id desc limit 1`,
    [tenantId],
  );
  return rows[0] ?? null;
}

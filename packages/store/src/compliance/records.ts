import type pg from 'pg';
import { attestationBeginsAt } from './attestation-begin.ts';

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
  readonly evidenceRefs?: readonly (string | EvidenceReference)[] | null;
  readonly withdrawnAt?: string | null;
  readonly withdrawnBy?: string | null;
  readonly withdrawalReason?: string | null;
}

/** A document: its address, the SHA-256 of its bytes and its title. */
export interface EvidenceReference {
  readonly uri: string;
  readonly sha256?: string | null;
  readonly title?: string | null;
}

/** A state of an attestation, with who wrote it. */
export interface RecordedAttestation extends ReportedRecord<AttestationPayload> {
  readonly recordedAtMs: number | null;
  /** The audit's actor; null where the state was written before there was a history. */
  readonly recordedBy: string | null;
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
  /** The present state of each record and, while that is dated ahead, the one before it that has begun: it is in force until then. */
  readonly attestations: readonly RecordedAttestation[];
  /** Every state of attestations that was in force, the present ones included: the latest `statesMax` of each requirement. */
  readonly attestationHistory: readonly RecordedAttestation[];
  readonly frameworkSelections: readonly ReportedRecord<FrameworkSelectionPayload>[];
  readonly tenantFacts: readonly ReportedRecord<TenantFactPayload>[];
}

interface Row {
  readonly kind: string;
  readonly version: number;
  readonly digest: string;
  readonly changed_at_ms: number;
  readonly facts: unknown;
  readonly recorded_at_ms: number | null;
  readonly recorded_by: string | null;
}

/** States that are read of each requirement: a present one and twenty before it. */
const statesMax = 21;

/** All of them as of an instant, the newest state of each record; several may speak of one thing. */
export async function readDeclarations(
  client: pg.ClientBase,
  { tenantId, nowMs }: { readonly tenantId: string; readonly nowMs: number },
): Promise<Declarations> {
  const { rows } = await client.query<Row>(
    `select r.kind, r.version::float8 as version, encode(r.digest, 'hex') as digest, (extract(epoch from r.changed_at) * 1000)::float8 as changed_at_ms, r.facts,
            (extract(epoch from h.recorded_at) * 1000)::float8 as recorded_at_ms, h.recorded_by
       from models.compliance_record r
       left join models.statement_history h on h.tenant_id = r.tenant_id and h.id = r.id and h.version = r.version and h.digest = r.digest
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
    attestations: [
      ...rows.filter(({ kind }) => kind === 'attestation').map(toRecordedAttestation),
      ...(await readStatesBeforePlannedOnes(client, tenantId, nowMs)),
    ],
    attestationHistory: await readAttestationHistory(client, tenantId),
    frameworkSelections: recordsOfKind('frameworkSelection'),
    tenantFacts: recordsOfKind('tenantFact'),
  };
}

/**
 * The newest state that has begun of each record whose present state is dated ahead. A withdrawal begins at its own time, whatever it withdraws: what
 * is older does not return.
 */
async function readStatesBeforePlannedOnes(
  client: pg.ClientBase,
  tenantId: string,
  nowMs: number,
): Promise<RecordedAttestation[]> {
  const { rows } = await client.query<Row>(
    `select distinct on (h.id) h.version::float8 as version, encode(h.digest, 'hex') as digest, (extract(epoch from h.recorded_at) * 1000)::float8 as changed_at_ms, h.facts,
            (extract(epoch from h.recorded_at) * 1000)::float8 as recorded_at_ms, h.recorded_by
       from models.compliance_record r
       join models.statement_history h on h.tenant_id = r.tenant_id and h.id = r.id and (h.version, h.digest) < (r.version, r.digest)
      where r.tenant_id = $1 and r.kind = 'attestation' and ${attestationBeginsAt('r')} > $2 and ${attestationBeginsAt('h')} <= $2
      order by h.id, h.version desc, h.digest desc`,
    [tenantId, new Date(nowMs).toISOString()],
  );
  return rows.map(toRecordedAttestation);
}

async function readAttestationHistory(client: pg.ClientBase, tenantId: string): Promise<RecordedAttestation[]> {
  const { rows } = await client.query<Row>(
    `select version::float8 as version, encode(digest, 'hex') as digest, recorded_at_ms as changed_at_ms, facts, recorded_at_ms, recorded_by
       from (select h.*, (extract(epoch from h.recorded_at) * 1000)::float8 as recorded_at_ms,
                    row_number() over (partition by h.requirement_key order by h.recorded_at desc, h.version desc, h.id) as place
               from models.statement_history h where h.tenant_id = $1 and h.kind = 'attestation') h
      where place <= $2 order by requirement_key, place`,
    [tenantId, statesMax],
  );
  return rows.map(toRecordedAttestation);
}

function toRecordedAttestation(row: Row): RecordedAttestation {
  return {
    version: row.version,
    digest: row.digest,
    changedAtMs: row.changed_at_ms,
    payload: row.facts as AttestationPayload,
    recordedAtMs: row.recorded_at_ms,
    recordedBy: row.recorded_by,
  };
}

/** A stored snapshot. */
export interface SnapshotSummary {
  readonly id: string;
  readonly takenAtMs: number;
  readonly trigger: string;
  readonly period: string | null;
  readonly late: boolean;
  readonly catalogueVersion: string;
  /** As it is served, JSON text. */
  readonly document: string;
}

/** The tenant's latest snapshot; null before the first. */
export async function readLatestSnapshot(client: pg.ClientBase, tenantId: string): Promise<SnapshotSummary | null> {
  const { rows } = await client.query<SnapshotSummary>(
    `select s.id, (extract(epoch from s.taken_at) * 1000)::float8 as "takenAtMs", s.trigger, s.period, s.late, s.catalogue_version as "catalogueVersion", s.document
       from models.compliance_snapshot s where s.tenant_id = $1 order by s.taken_at desc, s.id desc limit 1`,
    [tenantId],
  );
  return rows[0] ?? null;
}

import { parseTime } from '@tenantscope/contract';
import type {
  Declarations,
  RecordedAttestation,
  RecordedException,
  ReportedReference,
} from '@tenantscope/store/compliance';
import type { Attestation, EvidenceReference, Exception, Facts, Withdrawal } from '../evaluation/facts.ts';
import { isNewer } from '../evaluation/version.ts';
import type { FrameworkSelection } from './framework-selection.ts';

/** A time of a record: the schema of records has validated it. */
function parseInstant(text: string): number {
  const ms = parseTime(text);
  if (ms === null) throw new TypeError('a stored record has an invalid time');
  return ms;
}

export const toAttestations = ({ attestations }: Declarations): Attestation[] => readAttestations(attestations);

/** Every state that was in force, the present ones included. */
export const toAttestationHistory = ({ attestationHistory }: Declarations): Attestation[] =>
  readAttestations(attestationHistory);

function readAttestations(records: readonly RecordedAttestation[]): Attestation[] {
  return records.map(({ version, digest, payload, recordedAtMs, recordedBy }) => ({
    requirementKey: payload.requirementKey,
    subject: payload.subject ?? null,
    verdict: payload.verdict,
    justification: payload.justification ?? null,
    attestedBy: payload.attestedBy,
    attestedAtMs: parseInstant(payload.attestedAt),
    validUntilMs: payload.validUntil == null ? null : parseInstant(payload.validUntil),
    evidenceRefs: (payload.evidenceRefs ?? []).map(toReference),
    withdrawal: toWithdrawal(payload),
    recorded: recordedAtMs === null || recordedBy === null ? null : { atMs: recordedAtMs, by: recordedBy },
    version,
    digest,
  }));
}

/** The state of every exception. */
export function toExceptions(records: readonly RecordedException[]): Exception[] {
  return records.map(({ recordId, payload, recordedAtMs, recordedBy }) => ({
    id: recordId,
    requirementKey: payload.requirementKey,
    subjectIds: payload.subjectIds ?? null,
    query: payload.query ?? null,
    reason: payload.reason,
    approvedBy: payload.approvedBy,
    validFromMs: parseInstant(payload.validFrom),
    validUntilMs: parseInstant(payload.validUntil),
    evidenceRefs: (payload.evidenceRefs ?? []).map(toReference),
    withdrawal: toWithdrawal(payload),
    recorded: { atMs: recordedAtMs, by: recordedBy },
  }));
}

interface WithdrawnPayload {
  readonly withdrawnAt?: string | null;
  readonly withdrawnBy?: string | null;
  readonly withdrawalReason?: string | null;
}

function toWithdrawal({ withdrawnAt, withdrawnBy, withdrawalReason }: WithdrawnPayload): Withdrawal | null {
  if (withdrawnAt == null) return null;
  return { atMs: parseInstant(withdrawnAt), by: withdrawnBy ?? '', reason: withdrawalReason ?? null };
}

/** A text is an address where it has a scheme, and a title otherwise. */
function toReference(reference: string | ReportedReference): EvidenceReference {
  if (typeof reference !== 'string') {
    const { uri, sha256 = null, title = null } = reference;
    return { uri, sha256, title };
  }
  const isUri = /^[a-z][a-z0-9+.-]*:\S+$/i.test(reference);
  return { uri: isUri ? reference : null, sha256: null, title: isUri ? null : reference };
}

export function toSelections({ frameworkSelections }: Declarations): FrameworkSelection[] {
  return frameworkSelections.map(({ version, digest, changedAtMs, payload }) => ({
    framework: payload.framework,
    selected: payload.selected,
    changedAtMs,
    version,
    digest,
  }));
}

/** The newest value of each fact. */
export function toTenantFacts({ tenantFacts }: Declarations): Facts['tenantFacts'] {
  const newest = new Map<string, (typeof tenantFacts)[number]>();
  for (const fact of tenantFacts) {
    const before = newest.get(fact.payload.key);
    if (!before || isNewer(fact, before)) newest.set(fact.payload.key, fact);
  }
  return Object.fromEntries([...newest].map(([key, { payload }]) => [key, payload.value]));
}

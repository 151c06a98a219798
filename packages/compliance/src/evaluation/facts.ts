/** The state of a source: a read model, a feed of the log such as `logs/Audit.Exchange`, or one collector's part of either. */
export interface SourceState {
  /** Newest stamp of the tenant's rows of it. */
  readonly newestMs: number | null;
  /** As its collector reports; of several that are enabled, the earliest. */
  readonly lastCompleteImportMs: number | null;
  /** Null where not reported. */
  readonly licensed: boolean | null;
  readonly enabled: boolean | null;
  /** Times of which its collector reports that it missed something. */
  readonly gaps: readonly { readonly fromMs: number; readonly toMs: number }[];
}

export type Verdict = 'compliant' | 'partial' | 'non_compliant' | 'not_applicable';

/** A document that supports an attestation, or its description where `uri` is null. */
export interface EvidenceReference {
  readonly uri: string | null;
  readonly sha256: string | null;
  readonly title: string | null;
}

/** The end of a statement before its time. It has no effect from then on. */
export interface Withdrawal {
  readonly atMs: number;
  readonly by: string;
  readonly reason: string | null;
}

/** A person's attestation of a requirement. */
export interface Attestation {
  readonly requirementKey: string;
  /** The single subject it is about; null where it is about the whole requirement: only such attestations decide a status. */
  readonly subject: { readonly type: string; readonly id: string } | null;
  readonly verdict: Verdict;
  readonly justification: string | null;
  readonly attestedBy: string;
  readonly attestedAtMs: number;
  /** Null: the catalogue's default validity applies. */
  readonly validUntilMs: number | null;
  readonly evidenceRefs: readonly EvidenceReference[];
  /** Null while it is not withdrawn. */
  readonly withdrawal: Withdrawal | null;
  /** When and by whom the record was written, as opposed to who attests. Null where that is not stored. */
  readonly recorded: { readonly atMs: number; readonly by: string } | null;
  readonly version: number;
  /** Decides between equal versions. */
  readonly digest: string;
}

/** An approved exception of subjects from a measured requirement. */
export interface Exception {
  readonly id: string;
  readonly requirementKey: string;
  /** Either ids or a query. */
  readonly subjectIds: readonly string[] | null;
  readonly query: SubjectQuery | null;
  readonly reason: string;
  readonly approvedBy: string;
  readonly validFromMs: number;
  /** The first instant at which it no longer counts. */
  readonly validUntilMs: number;
  readonly evidenceRefs: readonly EvidenceReference[];
  readonly withdrawal: Withdrawal | null;
  /** When and by whom the record was written, as opposed to who approved it. */
  readonly recorded: { readonly atMs: number; readonly by: string };
}

/** Selects subjects by members of their findings; an asterisk matches any text. */
export interface SubjectQuery {
  readonly subjectType?: string | null;
  readonly subjectName?: string | null;
  readonly detail?: Readonly<Record<string, string>> | null;
}

/** Subjects of a requirement that fail or are unknown and are covered by exceptions in force, in units of its metrics. */
export interface ExceptedSubjects {
  readonly failing: number;
  readonly unknown: number;
  /** By the id of the exception. A subject that several cover counts for the first. */
  readonly byException: Readonly<Record<string, number>>;
}

/** The complete input of a status. */
export interface Facts {
  /** Metric values by requirement and name. Percentages are derived, not read. */
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number | null>> | undefined>>;
  readonly sources: Readonly<Record<string, SourceState | undefined>>;
  readonly attestations: readonly Attestation[];
  /** Every state of attestations that was in force. Shown; it decides nothing. */
  readonly attestationHistory?: readonly Attestation[];
  /** The state of every exception; `excepted` has what those in force cover, by requirement, and null where that was not counted. */
  readonly exceptions?: readonly Exception[];
  readonly excepted?: Readonly<Record<string, ExceptedSubjects | null | undefined>>;
  readonly tenantFacts: Readonly<Record<string, boolean | undefined>>;
  readonly nowMs: number;
}

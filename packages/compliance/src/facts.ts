/** What became of a source, so far as its age goes. */
export interface SourceState {
  /** Newest stamp of the tenant's rows of it. */
  readonly newestMs: number | null;
  readonly lastCompleteImportMs: number | null;
  /** Null where nobody said. */
  readonly licensed: boolean | null;
}

export type Verdict = 'compliant' | 'partial' | 'non_compliant' | 'not_applicable';

/** What a person put down about a duty. */
export interface Attestation {
  readonly requirementKey: string;
  /** One thing it is about; null where it is about the whole requirement, which alone decides a status. */
  readonly subject: { readonly type: string; readonly id: string } | null;
  readonly verdict: Verdict;
  readonly justification: string | null;
  readonly attestedBy: string;
  readonly attestedAtMs: number;
  /** Null: as long as the catalogue gives it. */
  readonly validUntilMs: number | null;
  readonly evidenceRefs: readonly string[];
  readonly version: number;
  /** Decides between equal versions. */
  readonly digest: string;
}

/** Everything a status follows from. */
export interface Facts {
  /** Metric values by requirement and name. Percentages are derived, not read. */
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number | null>> | undefined>>;
  readonly sources: Readonly<Record<string, SourceState | undefined>>;
  readonly attestations: readonly Attestation[];
  readonly tenantFacts: Readonly<Record<string, boolean | undefined>>;
  readonly nowMs: number;
}

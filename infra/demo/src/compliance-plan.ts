/** The compliance data of a fictional company: objects by name, times as days before the end. */
export interface CompliancePlan {
  /** Laws and standards that were declared applicable or not applicable. */
  readonly frameworks: Readonly<Record<string, boolean>>;
  readonly facts: Readonly<Partial<Record<TenantFact, boolean>>>;
  readonly attestations: readonly AttestationPlan[];
  readonly exceptions: readonly ExceptionPlan[];
  readonly decisions: readonly DecisionPlan[];
  readonly riskClasses: readonly (readonly [agent: string, riskClass: RiskClass])[];
  /** Owners assigned to agents and apps without an owner. */
  readonly assignments: readonly AssignmentPlan[];
  /** Connected sources other than the log and the inventory. */
  readonly sources: readonly SourcePlan[];
  /** The vendor's score ninety days ago and now, in percent; null: it was never connected. */
  readonly score: { readonly from: number; readonly to: number } | null;
  /** Policies and detectors that are switched off. */
  readonly isOff: readonly string[];
  /** How many of ten changes of agent instructions were reviewed. */
  readonly reviewedOfTen: number;
}

export type TenantFact =
  | 'publicAuthority'
  | 'financialEntity'
  | 'essentialEntity'
  | 'importantEntity'
  | 'usesHighRiskAi';

export type RiskClass = 'prohibited' | 'high' | 'transparency' | 'minimal' | 'unclassified';

export interface AttestationPlan {
  readonly duty: string;
  readonly verdict: 'compliant' | 'partial' | 'non_compliant' | 'not_applicable';
  readonly by: string;
  readonly daysAgo: number;
  /** How long it holds from then on; null: as long as such attestations usually do. */
  readonly validDays?: number | null;
  readonly because?: string;
  readonly evidence?: readonly string[];
  /** The agent it is about, where it is about one. */
  readonly agent?: string;
  readonly complaintChannel?: string;
}

/** An approved deviation from a measured requirement. */
export interface ExceptionPlan {
  readonly requirement: string;
  /** An app, or a pattern of names. */
  readonly of: { readonly app: string } | { readonly name: string };
  readonly because: string;
  readonly by: string;
  readonly daysAgo: number;
  readonly validDays: number;
  readonly evidence?: readonly string[];
  readonly withdrawn?: { readonly daysAgo: number; readonly by: string; readonly because: string };
}

export interface DecisionPlan {
  readonly about: 'agent' | 'app' | 'sensitiveInfoType';
  readonly name: string;
  readonly outcome: 'approved' | 'restricted' | 'blocked' | 'accepted' | 'reviewed';
  readonly by: string;
  readonly daysAgo: number;
  readonly purpose?: string;
  readonly data?: readonly string[];
  readonly groups?: readonly string[];
}

export interface AssignmentPlan {
  readonly about: 'agent' | 'app';
  readonly name: string;
  readonly to: string;
  readonly by: string;
  readonly daysAgo: number;
}

export interface SourcePlan {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly isLicensed: boolean;
  /** Since all of it was last imported; null: that never came to an end. */
  readonly importedHoursAgo: number | null;
  readonly gap?: { readonly daysAgo: number; readonly hours: number; readonly reason: string };
}

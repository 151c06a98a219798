import type { Severity } from '@tenantscope/contract';
import type { Activity } from '../activity/activity.ts';
import type { JsonObject } from '../json/value.ts';

/** @param record the provider's record, for members that no context shows */
export type Condition = (activity: Activity, record: JsonObject) => boolean;

export interface SeverityRule {
  readonly severity: Severity;
  /** The provider's names; matched case-insensitively and without a full stop at the end. */
  readonly actions: readonly string[];
  readonly when?: Condition;
  /** The rule is about failed and blocked attempts too; other rules rate these lower than what was done. */
  readonly ofAttempts?: true;
  /** Why the action has this severity. */
  readonly reason: string;
  /** Address of a public rule or document that rates or describes the action likewise. */
  readonly source: string;
}

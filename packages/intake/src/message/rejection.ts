import { makeVisible } from '../field/text.ts';

/** The step at which a record fails for each reason. The list is closed: operators' scripts rely on the reasons. */
const stages = {
  EMPTY_PAYLOAD: 'decode',
  NOT_UTF8: 'decode',
  INVALID_JSON: 'decode',
  SCHEMA_REGISTRY_FRAMED: 'decode',
  TOO_LARGE: 'decode',
  // Not of a record that was read: an operator skipped it, or the batch that has it.
  SKIPPED: 'decode',
  UNDECODABLE_BATCH: 'decode',
  UNKNOWN_TYPE: 'validate',
  UNSUPPORTED_VERSION: 'validate',
  SCHEMA_VIOLATION: 'validate',
  MISSING_TENANT: 'validate',
  UNKNOWN_TENANT: 'validate',
  TENANT_MISMATCH: 'validate',
  // Never stored: a closed tenant has no dead letters.
  TENANT_CLOSED: 'validate',
  OTHER_CELL: 'validate',
  KEY_MISMATCH: 'validate',
  FUTURE_VERSION: 'validate',
  MISSING_ACTION: 'normalise',
  MISSING_TIMESTAMP: 'normalise',
  INVALID_TIMESTAMP: 'normalise',
  FUTURE_TIMESTAMP: 'normalise',
  VERSION_CONFLICT: 'project',
  ORGANIZATION_CHANGE: 'project',
  PROJECTION_REJECTED: 'project',
} as const;

export type DeadLetterReason = keyof typeof stages;
export type Stage = (typeof stages)[DeadLetterReason];
export const deadLetterReasons = Object.keys(stages) as readonly DeadLetterReason[];

export function getStage(reason: DeadLetterReason): Stage {
  return stages[reason];
}

/** Why a record is not a row. An expected outcome, so a value and not an error. */
export interface Rejection {
  readonly rejected: DeadLetterReason;
  /** Names the member and the rule, never the payload's text; at most 512 visible characters. */
  readonly detail: string;
}

/** The element of a rejection that concerns a message as a whole: none of its records was read. */
export const wholeMessage = -1;

/** Members are named by the payload: the database refuses a NUL, and a dead letter that cannot be stored stops the lanes of all tenants. */
export function reject(rejected: DeadLetterReason, detail: string): Rejection {
  return { rejected, detail: makeVisible(detail.slice(0, longestDetail)).slice(0, longestDetail) };
}

/** Of a record in the topics of another cell than that of its tenant, whose database has no other row of the tenant. */
export const rejectOtherCell = (cell: string): Rejection =>
  reject('OTHER_CELL', `the tenant is in the cell ${cell}; a replay sends the record there`);

export function isRejection(value: unknown): value is Rejection {
  return typeof value === 'object' && value !== null && 'rejected' in value;
}

const longestDetail = 512;

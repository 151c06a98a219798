import type { ActivityFormatName } from '@tenantscope/intake';

/** A public detection as one request for log rows, with a record that it finds and one that it does not. */
export interface Detection {
  readonly id: string;
  readonly title: string;
  /** What an attacker gains, or why the event is rare. */
  readonly reason: string;
  /** Address of a public rule, technique or document. */
  readonly reference: string;
  /** Parameters of `GET /logs`. */
  readonly query: Query;
  /** What else must be true of a row; an empty list where the request suffices. */
  readonly where: readonly Comparison[];
  /** For attacks that only a number of rows shows: what to count. */
  readonly count?: string;
  readonly format: ActivityFormatName;
  readonly match: ProviderRecord;
  readonly other: ProviderRecord;
}

export type ProviderRecord = Readonly<Record<string, unknown>>;

/** Filters of `GET /logs`; a comma separates alternatives. */
export type Query = Readonly<Partial<Record<QueryFilter, string>>>;

export type QueryFilter =
  | 'action'
  | 'actorType'
  | 'clientApp'
  | 'errorCode'
  | 'isManagedDevice'
  | 'outcome'
  | 'resourceType'
  | 'severity'
  | 'sourceType'
  | 'workload';

/**
 * A comparison with a member of a row. The path names a member of an object, of every element of a list (`targets.type`),
 * of a change by its name (`changes.UserType.after`), or a detail by its name (`details.MoveToFolder`). One of several
 * values suffices. Texts compare without case.
 */
export type Comparison = readonly [path: string, operator: Operator, value: string | readonly string[] | boolean];

/** `is` also compares with each of a list; `isNot` holds where the member is missing; `isPresent` takes true or false. */
export type Operator = 'is' | 'isNot' | 'contains' | 'isPresent';

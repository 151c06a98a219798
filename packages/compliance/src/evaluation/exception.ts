import type { ComplianceException } from '@tenantscope/contract';
import type { Exception, Facts } from './facts.ts';

export type ExceptionState = ComplianceException['state'];

/** What decides the state of an exception. */
export interface ExceptionTimes extends Pick<Exception, 'validFromMs' | 'validUntilMs'> {
  readonly withdrawal: { readonly atMs: number } | null;
  readonly recorded: { readonly atMs: number };
}

/** The state of an exception at an instant. Before it was recorded it was not known, whatever its dates say. */
export function findExceptionState(
  { validFromMs, validUntilMs, withdrawal, recorded }: ExceptionTimes,
  nowMs: number,
): ExceptionState {
  if (withdrawal !== null && withdrawal.atMs <= nowMs) return 'withdrawn';
  if (validUntilMs <= nowMs) return 'expired';
  return validFromMs > nowMs || recorded.atMs > nowMs ? 'not_yet_in_force' : 'in_force';
}

/** Exceptions of a requirement that are in force: the one that ends last comes first. */
export function listInForce(
  requirementKey: string,
  { exceptions = [], nowMs }: Pick<Facts, 'exceptions' | 'nowMs'>,
): Exception[] {
  return exceptions
    .filter((one) => one.requirementKey === requirementKey && findExceptionState(one, nowMs) === 'in_force')
    .toSorted((left, right) => right.validUntilMs - left.validUntilMs || (left.id < right.id ? -1 : 1));
}

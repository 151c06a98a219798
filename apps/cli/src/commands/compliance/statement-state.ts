import { formatTime, parseTime } from '@tenantscope/contract';
import type { Admin, StatementState, Tenant } from '@tenantscope/store/admin';
import { CommandError, usageError } from '../../command-error.ts';
import { currentOperator } from '../../connections/admin-connection.ts';
import { createComplianceState, readMicroseconds } from './compliance-state.ts';

/** States that one command lists. */
export const statesMax = 1_000;

/** A member of a state; null where it is not a text. */
export function readText({ payload }: StatementState, name: string): string | null {
  const value = payload[name];
  return typeof value === 'string' ? value : null;
}

/** What a withdrawal adds to a state, and the version of the state that has it. */
export interface Withdrawal {
  readonly atMs: number;
  readonly versionMicroseconds: number;
  readonly members: { readonly withdrawnAt: string; readonly withdrawnBy: string; readonly withdrawalReason: string };
}

export function parseWithdrawal(options: { readonly reason: string; readonly by?: string }): Withdrawal {
  const versionMicroseconds = readMicroseconds();
  const withdrawalReason = options.reason.trim();
  if (withdrawalReason === '') throw usageError('--reason is empty: it must explain the withdrawal');
  const atMs = Math.floor(versionMicroseconds / 1_000);
  const withdrawnAt = formatTime(atMs);
  const withdrawnBy = options.by?.trim() || currentOperator();
  return { atMs, versionMicroseconds, members: { withdrawnAt, withdrawnBy, withdrawalReason } };
}

/** Writes the record again with the withdrawal: a state, never a deletion. */
export async function writeWithdrawal(
  admin: Admin,
  tenant: Tenant,
  kind: 'attestation' | 'exception',
  { recordId: id, payload }: StatementState,
  { versionMicroseconds, members }: Withdrawal,
): Promise<void> {
  // The members of the state replace those of the record: its new version and time are added when it is written.
  const record = { id, versionMicroseconds, members: { ...payload, ...members } };
  if ((await admin.compliance.write(createComplianceState(tenant, kind, record))) !== 'applied')
    throw new CommandError(`the record ${id} has a state that is newer than now; check the system clock`);
}

/** A withdrawal that is dated ahead may be replaced by one of now. */
export function refuseWithdrawn(kind: 'attestation' | 'exception', state: StatementState, nowMs: number): void {
  const withdrawnAt = readText(state, 'withdrawnAt');
  const withdrawnMs = parseTime(withdrawnAt ?? '');
  if (withdrawnMs !== null && withdrawnMs <= nowMs)
    throw new CommandError(
      `the ${kind} ${state.recordId} was withdrawn on ${withdrawnAt} by ${readText(state, 'withdrawnBy')}`,
    );
}

import { findExceptionState } from '@tenantscope/compliance';
import { parseTime } from '@tenantscope/contract';
import type { Admin, StatementState } from '@tenantscope/store/admin';
import { CommandError } from '../../command-error.ts';
import { findTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import { parseInteger } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { type Column, formatFields, formatTable } from '../../output/table.ts';
import { findRequirement } from './attested-requirement.ts';
import { parseWithdrawal, readText, refuseWithdrawn, statesMax, writeWithdrawal } from './statement-state.ts';

export interface ListExceptionsOptions {
  readonly tenant: string;
  readonly requirement?: string;
  readonly limit: string;
}

export interface ShowExceptionOptions {
  readonly tenant: string;
}

export interface WithdrawExceptionOptions extends ShowExceptionOptions {
  readonly reason: string;
  readonly by?: string;
}

const readTime = (entry: StatementState, name: string): number | null => parseTime(readText(entry, name) ?? '');

function describeState(entry: StatementState, nowMs: number): string {
  if (!entry.isPresent) return 'replaced';
  const withdrawnMs = readTime(entry, 'withdrawnAt');
  const times = {
    validFromMs: readTime(entry, 'validFrom') ?? 0,
    validUntilMs: readTime(entry, 'validUntil') ?? 0,
    withdrawal: withdrawnMs === null ? null : { atMs: withdrawnMs },
    recorded: { atMs: parseTime(entry.recordedAt) ?? 0 },
  };
  return findExceptionState(times, nowMs).replaceAll('_', ' ');
}

function describeSubjects({ payload: { subjectIds, query } }: StatementState): string {
  return Array.isArray(subjectIds) ? `${subjectIds.length} by id` : `query ${JSON.stringify(query)}`;
}

const listColumns = (nowMs: number): Column<StatementState>[] => [
  ['recorded at', ({ recordedAt }) => recordedAt],
  ['requirement', (one) => readText(one, 'requirementKey')],
  ['state', (one) => describeState(one, nowMs)],
  ['subjects', describeSubjects],
  ['approved by', (one) => readText(one, 'approvedBy')],
  ['valid from', (one) => readText(one, 'validFrom')],
  ['valid until', (one) => readText(one, 'validUntil')],
  ['recorded by', ({ recordedBy }) => recordedBy],
  ['withdrawn by', (one) => readText(one, 'withdrawnBy')],
  ['reason', (one) => readText(one, 'withdrawalReason') ?? readText(one, 'reason')],
  ['id', ({ recordId }) => recordId],
];

export async function listExceptions(options: ListExceptionsOptions, context: CommandContext): Promise<CommandResult> {
  const limit = parseInteger(options.limit, '--limit', { from: 1, to: statesMax });
  const requirement = options.requirement === undefined ? null : findRequirement(options.requirement).key;
  const found = await withAdmin(context.environment, async (admin) =>
    admin.compliance.statementStates((await findTenant(admin, options.tenant)).id, {
      kind: 'exception',
      requirement,
      onlyPresent: true,
      limit,
    }),
  );
  return { document: { data: found }, text: formatTable(found, listColumns(Date.now()), 'No exceptions.') };
}

export async function showException(
  id: string,
  options: ShowExceptionOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const found = await withAdmin(context.environment, async (admin) =>
    readStates(admin, (await findTenant(admin, options.tenant)).id, id.trim()),
  );
  return { document: { data: found }, text: formatTable(found, listColumns(Date.now()), 'No exceptions.') };
}

/** Every state of an exception, newest first. Throws where there is none. */
async function readStates(admin: Admin, tenantId: string, recordId: string): Promise<readonly StatementState[]> {
  const query = { kind: 'exception', requirement: null, recordId, onlyPresent: false, limit: statesMax } as const;
  const states = await admin.compliance.statementStates(tenantId, query);
  if (states.length === 0) throw new CommandError(`the tenant ${tenantId} has no exception with the id ${recordId}`);
  return states;
}

/** The subjects of the exception count again from now on. */
export async function withdrawException(
  id: string,
  options: WithdrawExceptionOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const withdrawal = parseWithdrawal(options);
  const { tenantId, entry } = await withAdmin(context.environment, async (admin) => {
    const tenant = await findTenant(admin, options.tenant);
    const entry = (await readStates(admin, tenant.id, id.trim())).find(({ isPresent }) => isPresent);
    if (entry === undefined) throw new CommandError(`the exception ${id} has no present state`);
    refuseWithdrawn('exception', entry, withdrawal.atMs);
    await writeWithdrawal(admin, tenant, 'exception', entry, withdrawal);
    return { tenantId: tenant.id, entry };
  });
  const document = {
    tenantId,
    id: entry.recordId,
    requirementKey: readText(entry, 'requirementKey'),
    approvedBy: readText(entry, 'approvedBy'),
    validUntil: readText(entry, 'validUntil'),
    ...withdrawal.members,
  };
  return { document, text: `${formatFields(Object.entries(document))}\nIts subjects count again.` };
}

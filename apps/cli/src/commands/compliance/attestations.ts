import { requirementCatalogue } from '@tenantscope/compliance';
import { formatTime, parseTime } from '@tenantscope/contract';
import type { StatementState } from '@tenantscope/store/admin';
import { CommandError } from '../../command-error.ts';
import { findTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import { parseInteger } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { type Column, formatFields, formatTable } from '../../output/table.ts';
import { findRequirement, latestValidUntil } from './attested-requirement.ts';
import { parseWithdrawal, readText, refuseWithdrawn, statesMax, writeWithdrawal } from './statement-state.ts';

export interface ListAttestationsOptions {
  readonly tenant: string;
  readonly limit: string;
}

export interface ShowAttestationOptions {
  readonly tenant: string;
  readonly requirement: string;
}

export interface WithdrawOptions extends ShowAttestationOptions {
  readonly reason: string;
  readonly id?: string;
  readonly by?: string;
}

/** The state of the record at this time: withdrawn, expired, dated ahead, or its verdict. */
function describeState(entry: StatementState, nowMs: number): string | null {
  const [attestedMs, withdrawnMs] = ['attestedAt', 'withdrawnAt'].map((name) => parseTime(readText(entry, name) ?? ''));
  if (withdrawnMs != null && withdrawnMs <= nowMs) return 'withdrawn';
  if (attestedMs != null && attestedMs > nowMs) return 'not yet in force';
  return (readEnd(entry) ?? Number.POSITIVE_INFINITY) <= nowMs ? 'expired' : readText(entry, 'verdict');
}

/** When it ends, epoch ms: as stated, and at the latest when its requirement allows. Null: never. */
function readEnd(entry: StatementState): number | null {
  const [attestedMs, untilMs] = ['attestedAt', 'validUntil'].map((name) => parseTime(readText(entry, name) ?? ''));
  // Records may name requirements that the catalogue does not have.
  const requirement = requirementCatalogue.find(({ key }) => key === entry.payload.requirementKey);
  const latestMs = attestedMs == null || !requirement ? null : latestValidUntil(requirement, attestedMs);
  const ends = [untilMs, latestMs].filter((one) => one != null);
  return ends.length === 0 ? null : Math.min(...ends);
}

function listColumns(nowMs: number): Column<StatementState>[] {
  return [
    ['recorded at', ({ recordedAt }) => recordedAt],
    ['requirement', (one) => readText(one, 'requirementKey')],
    ['state', (one) => (one.isPresent ? describeState(one, nowMs) : 'replaced')],
    ['verdict', (one) => readText(one, 'verdict')],
    ['attested by', (one) => readText(one, 'attestedBy')],
    ['attested at', (one) => readText(one, 'attestedAt')],
    ['valid until', formatEnd],
    ['recorded by', ({ recordedBy }) => recordedBy],
    ['withdrawn by', (one) => readText(one, 'withdrawnBy')],
    ['reason', (one) => readText(one, 'withdrawalReason') ?? readText(one, 'justification')],
    ['evidence', ({ payload }) => (Array.isArray(payload.evidenceRefs) ? payload.evidenceRefs.length : 0)],
    ['id', ({ recordId }) => recordId],
  ];
}

function formatEnd(entry: StatementState): string | null {
  const endMs = readEnd(entry);
  return endMs === null ? null : formatTime(endMs);
}

export async function listAttestations(
  options: ListAttestationsOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const limit = parseInteger(options.limit, '--limit', { from: 1, to: statesMax });
  const found = await readStates(options.tenant, { requirement: null, onlyPresent: true, limit }, context);
  return { document: { data: found }, text: formatTable(found, listColumns(Date.now()), 'No attestations.') };
}

export async function showAttestations(
  options: ShowAttestationOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const { key } = findRequirement(options.requirement);
  const found = await readStates(options.tenant, { requirement: key, onlyPresent: false, limit: statesMax }, context);
  return { document: { data: found }, text: formatTable(found, listColumns(Date.now()), `No attestations of ${key}.`) };
}

function readStates(
  tenant: string,
  query: { requirement: string | null; onlyPresent: boolean; limit: number },
  { environment }: CommandContext,
): Promise<readonly StatementState[]> {
  return withAdmin(environment, async (admin) =>
    admin.compliance.statementStates((await findTenant(admin, tenant)).id, { kind: 'attestation', ...query }),
  );
}

export async function withdrawAttestation(options: WithdrawOptions, context: CommandContext): Promise<CommandResult> {
  const { key } = findRequirement(options.requirement);
  const withdrawal = parseWithdrawal(options);
  const { tenantId, entry } = await withAdmin(context.environment, async (admin) => {
    const tenant = await findTenant(admin, options.tenant);
    const query = { kind: 'attestation', requirement: key, onlyPresent: true, limit: statesMax } as const;
    const entry = selectEntry(await admin.compliance.statementStates(tenant.id, query), options, withdrawal.atMs);
    await writeWithdrawal(admin, tenant, 'attestation', entry, withdrawal);
    return { tenantId: tenant.id, entry };
  });
  const document = {
    tenantId,
    requirementKey: key,
    recordId: entry.recordId,
    verdict: readText(entry, 'verdict'),
    attestedBy: readText(entry, 'attestedBy'),
    attestedAt: readText(entry, 'attestedAt'),
    ...withdrawal.members,
  };
  const note = `\n${key} has no attestation in force until it is attested again; an older one does not return.`;
  return { document, text: `${formatFields(Object.entries(document))}${note}` };
}

/** The record of this id, or the latest attestation of the whole requirement. */
function selectEntry(
  entries: readonly StatementState[],
  { id, requirement }: WithdrawOptions,
  nowMs: number,
): StatementState {
  const attestedMs = (entry: StatementState) => parseTime(readText(entry, 'attestedAt') ?? '') ?? 0;
  const [found] = entries
    .filter((entry) =>
      id === undefined ? entry.payload.subject == null && attestedMs(entry) <= nowMs : entry.recordId === id.trim(),
    )
    .toSorted((left, right) => attestedMs(right) - attestedMs(left) || right.version - left.version);
  if (found === undefined)
    throw new CommandError(
      `${requirement} has no attestation${id === undefined ? '' : ` with the id ${id}`} to withdraw`,
    );
  refuseWithdrawn('attestation', found, nowMs);
  return found;
}

import { entityKinds } from '@tenantscope/contract';
import type { Admin, VersionedRow } from '@tenantscope/store/admin';
import { usageError } from '../../command-error.ts';
import { findTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import { parseChoice, parseGuid } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields, formatTable } from '../../output/table.ts';

export interface ResetOptions {
  readonly tenant?: string;
  readonly to?: string;
  readonly yes: boolean;
}

const recordTables = {
  detection: 'detection',
  'policy-scan': 'policy_scan',
  notification: 'notification',
  action: 'action',
  'security-alert': 'security_alert',
  'agent-evidence': 'agent_evidence',
  compliance: 'compliance_record',
} as const;
const recordKinds = Object.keys(recordTables) as (keyof typeof recordTables)[];

/** Shows the versions that a reset changes, and changes them with `--yes`. */
export async function resetVersion(
  resource: string,
  id: string,
  options: ResetOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const kind = parseChoice(resource, ['organization', 'tenant', ...recordKinds, ...entityKinds], 'the resource');
  const to = options.to === undefined ? null : parseVersion(options.to);
  const { row, versions } = await withAdmin(context.environment, async (admin) => {
    const row = await findRow(admin, kind, id, options.tenant);
    return { row, versions: await admin.versions.reset(row, { to, apply: options.yes }) };
  });
  const document = { resource: kind, id: row.id, tenantId: row.tenantId, versions, reset: options.yes };
  const table = formatTable(
    versions,
    [
      ['part', ({ part, isRemoval }) => (isRemoval ? `${part} (removal)` : part)],
      ['version', ({ before }) => String(before)],
      ['reset to', ({ after }) => String(after)],
    ],
    'No versions.',
  );
  const text = `${formatFields([
    ['resource', kind],
    ['id', row.id],
    ['tenant', row.tenantId],
  ])}\n${table}`;
  return {
    document,
    text: options.yes ? text : `${text}\nNothing was changed. Repeat the command with --yes to reset it.`,
  };
}

type Kind = 'organization' | 'tenant' | keyof typeof recordTables | (typeof entityKinds)[number];

async function findRow(admin: Admin, kind: Kind, id: string, tenant: string | undefined): Promise<VersionedRow> {
  if (kind === 'organization') return { table: kind, tenantId: null, id: parseGuid(id, 'the id of an organization') };
  if (kind === 'tenant') return { table: kind, tenantId: null, id: (await findTenant(admin, id)).id };
  if (tenant === undefined) throw usageError(`--tenant is required: a record of kind ${kind} belongs to a tenant`);
  const { id: tenantId } = await findTenant(admin, tenant);
  const isRecord = (one: Kind): one is keyof typeof recordTables => one in recordTables;
  return isRecord(kind)
    ? { table: recordTables[kind], tenantId, id }
    : { table: 'entity_part', tenantId, id: `${kind}/${id}` };
}

function parseVersion(text: string): number {
  const version = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(version) || version < 1) throw usageError('--to must be a whole number from 1 to 2^53 - 1');
  return version;
}

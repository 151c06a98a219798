import { formatTime, parseTime } from '@tenantscope/contract';
import { CommandError, usageError } from '../../command-error.ts';
import { currentOperator, findOpenTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields } from '../../output/table.ts';
import { createComplianceState, readMicroseconds } from './compliance-state.ts';

export interface AwarenessOptions {
  readonly tenant: string;
  readonly at: string;
  readonly by?: string;
}

/** Records since when an organization was aware of an incident, for the incident timeline. A later statement replaces an earlier one. */
export async function stateAwareness(
  incidentId: string,
  options: AwarenessOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const versionMicroseconds = readMicroseconds();
  const id = incidentId.trim();
  if (id === '') throw usageError('the id of the incident is empty');
  const atMs = parseTime(options.at);
  if (atMs === null) throw usageError('--at must be a time, for example 2026-11-20T08:00:00Z');
  if (atMs > versionMicroseconds / 1_000) throw usageError(`--at ${formatTime(atMs)} is in the future`);
  const statement = { awareAt: formatTime(atMs), statedBy: options.by?.trim() || currentOperator() };
  const members = { subject: { type: 'incident', id }, ...statement };
  const tenantId = await withAdmin(context.environment, async (admin) => {
    const tenant = await findOpenTenant(admin, options.tenant);
    const state = createComplianceState(tenant, 'awareness', { id, versionMicroseconds, members });
    if (!(await admin.compliance.incidentExists(tenant.id, id)))
      throw new CommandError(`the tenant ${tenant.id} has no detection or security alert with the id ${id}`);
    if ((await admin.compliance.write(state)) !== 'applied')
      throw new CommandError(`${id} already has a statement that is newer than now; check the system clock`);
    return tenant.id;
  });
  const document = { tenantId, incidentId: id, ...statement };
  const note = `\nShown by: tenantscope report incident-timeline --incident ${id}`;
  return { document, text: `${formatFields(Object.entries(document))}${note}` };
}

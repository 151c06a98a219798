import { dayMs } from '@tenantscope/contract';
import { defaultCell } from '@tenantscope/runtime';
import type { InstallationUrls } from '@tenantscope/store/admin';
import { type ConsoleStore, connectConsole } from '@tenantscope/store/console';
import { usageError } from '../../command-error.ts';
import { withAdmin } from '../../connections/admin-connection.ts';
import { readAdminUrls } from '../../connections/connection-settings.ts';
import { withDatabaseErrors } from '../../connections/database-errors.ts';
import type { CommandContext } from '../../context.ts';
import { parseGuid, parseInteger } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatTable } from '../../output/table.ts';
import { selectOrganization } from '../directory/organization.ts';

export interface AuditOptions {
  readonly org?: string;
  readonly cell?: string;
}

interface Chain {
  readonly id: string;
  readonly name: string;
}
type AuditLog = Pick<ConsoleStore['audit'], 'read' | 'verify'>;

/** Events without an organization have their own chain. */
const installation: Chain = { id: '00000000-0000-0000-0000-000000000000', name: 'the installation' };
const readModels: Chain = { ...installation, name: 'the read models' };

/** Lists audit events, newest first. */
export async function listAudit(
  options: AuditOptions & { limit: string },
  context: CommandContext,
): Promise<CommandResult> {
  const limit = parseInteger(options.limit, '--limit', { from: 1, to: 1_000 });
  const events = await withAuditChain(options, context, (log, { id: organizationId }) =>
    log.read({ organizationId, fromMs: 0, toMs: Date.now() + dayMs, before: null, limit }),
  );
  const text = formatTable(
    events,
    [
      ['number', ({ number }) => number],
      ['at', ({ at }) => at],
      ['who', ({ actor, actorName }) => actorName ?? actor],
      ['did', ({ action }) => action],
      ['what', ({ subjectType, subjectId }) => `${subjectType} ${subjectId}`],
      ['sha256', ({ sha256 }) => sha256.slice(0, 16)],
    ],
    'No audit events.',
  );
  return { document: { data: events }, text };
}

/** Recomputes the chain from its first event. Changed, inserted, removed and truncated events in the database are detected. */
export async function verifyAudit(options: AuditOptions, context: CommandContext): Promise<CommandResult> {
  const { chain, verdict } = await withAuditChain(options, context, async (log, chosen) => ({
    chain: chosen,
    verdict: await log.verify(chosen.id),
  }));
  const { through, brokenAt } = verdict;
  const document = { organizationId: chain.id, isWhole: brokenAt === null, ...verdict };
  if (brokenAt === null) return { document, text: `All events of ${chain.name} are intact: ${through}.` };
  const problem = `event ${brokenAt} of ${chain.name} does not link to the event before it; events up to ${through} are intact`;
  return { document, text: '', problems: [problem] };
}

async function withAuditChain<Result>(
  { org, cell }: AuditOptions,
  context: CommandContext,
  work: (log: AuditLog, chain: Chain) => Promise<Result>,
): Promise<Result> {
  const chain = await selectChain(org, context);
  if (cell !== undefined && chain !== readModels) throw usageError('--cell needs --org read-models');
  const urls = selectCell(readAdminUrls(context.environment), cell);
  return withDatabaseErrors(urls.control, 'TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL', async () => {
    await using store = await connectConsole(urls);
    const log = chain === readModels ? store.audit.ofModels : store.audit;
    if (log === null)
      throw usageError(
        '--org read-models: the read models are in the control database; their events are in the log of the organization or of the installation',
      );
    return await work(log, chain);
  });
}

/** The audit log of the read models is in the database of each cell. */
function selectCell(urls: InstallationUrls, cell = defaultCell): { models: string; control: string } {
  const found = urls.cells?.find(({ name }) => name === cell);
  if (cell !== defaultCell && found === undefined) throw usageError(`TENANTSCOPE_CELLS does not name the cell ${cell}`);
  return { control: urls.control, models: found?.database ?? urls.models };
}

function selectChain(org: string | undefined, context: CommandContext): Promise<Chain> {
  if (org === 'installation') return Promise.resolve(installation);
  if (org === 'read-models') return Promise.resolve(readModels);
  const organizationId = org === undefined ? null : parseGuid(org, '--org');
  return withAdmin(context.environment, async (admin) =>
    selectOrganization(await admin.organizations.list(), organizationId),
  );
}

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CellUrl,
  cancelMove,
  confirmMove,
  connectCell,
  connectControl,
  connectMove,
  lockMoves,
  MoveRefused,
  type MoveStep,
  moveTenant,
  readMoves,
} from '@tenantscope/store/move';
import { CommandError, usageError } from '../../command-error.ts';
import { currentOperator, findTenant, withAdmin } from '../../connections/admin-connection.ts';
import { readTopicPrefixOf } from '../../connections/cell-topics.ts';
import { readOwnerUrls, readTopicPrefix } from '../../connections/connection-settings.ts';
import { withDatabaseErrors } from '../../connections/database-errors.ts';
import type { CommandContext } from '../../context.ts';
import { parseInteger } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatCount } from '../../output/count.ts';
import { formatFields } from '../../output/table.ts';
import { replayMany } from '../ingestion/dead-letters/bulk-replay.ts';

export interface CellMoveOptions {
  readonly tenant: string;
  readonly org?: string;
  readonly cell?: string;
  readonly maxPause: string;
  readonly cancel: boolean;
  readonly confirm: boolean;
  readonly yes: boolean;
}

export const isCellMove = ({ cell, cancel, confirm }: CellMoveOptions): boolean =>
  cell !== undefined || cancel || confirm;

/** Moves a tenant to another cell, cancels that, or erases what it has left. */
export async function moveToCell(options: CellMoveOptions, context: CommandContext): Promise<CommandResult> {
  const given = [options.org !== undefined, options.cell !== undefined, options.cancel, options.confirm];
  if (given.filter(Boolean).length !== 1) throw usageError('give one of --org, --cell, --cancel and --confirm');
  const urls = readOwnerUrls(context.environment);
  const tenant = await withAdmin(context.environment, (admin) => findTenant(admin, options.tenant));
  return withDatabaseErrors(urls.models, 'TENANTSCOPE_OWNER_DATABASE_URL', async () => {
    try {
      if (options.cancel) return await cancel(tenant.id, urls, context);
      if (options.confirm) return await confirm(tenant.id, urls);
      return await move(tenant, options as CellMoveOptions & { cell: string }, urls, context);
    } catch (error) {
      if (error instanceof MoveRefused) throw new CommandError(error.message);
      throw error;
    }
  });
}

type OwnerUrls = ReturnType<typeof readOwnerUrls>;

async function move(
  tenant: { readonly id: string; readonly name: string; readonly cell: string },
  options: CellMoveOptions & { readonly cell: string },
  urls: OwnerUrls,
  context: CommandContext,
): Promise<CommandResult> {
  const maxPassMs = parseInteger(options.maxPause, '--max-pause', { from: 1, to: 3_600 }) * 1_000;
  const plan = { id: tenant.id, name: tenant.name, from: tenant.cell, to: options.cell };
  const target = findCell(urls, options.cell);
  if (!options.yes) {
    const text = `${formatFields(Object.entries(plan))}\nNothing was changed. Repeat the command with --yes to move it.`;
    return { document: { ...plan, moved: false }, text };
  }
  const report = (line: string) => void context.terminal.write(`${line}\n`);
  if (tenant.cell === options.cell) {
    await using control = await openControl(urls, tenant.id);
    const { unconfirmed } = await readMoves(control.client, tenant.id);
    if (unconfirmed === null) throw new CommandError(`the tenant is in the cell ${options.cell} already`);
    const { forwarded, problems } = await forward(tenant.id, context, report);
    const text = formatFields([['records forwarded', forwarded]]);
    return { document: { ...plan, moved: true, forwarded }, text, problems };
  }
  const actor = currentOperator();
  const moved = await (async () => {
    await using connections = await connectMove(
      { control: urls.control, source: findCell(urls, tenant.cell), target },
      actor,
    );
    await lockMoves(connections.control, tenant.id);
    using interruptions = createInterruptions(report);
    const isDue = createReportInterval();
    const switched = await moveTenant(connections, {
      tenantId: tenant.id,
      toCell: options.cell,
      actor,
      maxPassMs,
      onProgress(step) {
        if (step.kind !== 'portion' || isDue()) report(describeStep(step));
        if (step.kind === 'fenced') interruptions.defer();
      },
    });
    if (interruptions.isInterrupted())
      throw new CommandError(
        `interrupted: the tenant is in the cell ${options.cell}; run the same command again, which forwards its records that arrived meanwhile`,
      );
    return switched;
  })();
  const { forwarded, problems } = await forward(tenant.id, context, report);
  const topicPrefix = await withAdmin(context.environment, (admin) =>
    readTopicPrefixOf(admin, { cell: options.cell }, readTopicPrefix(context.environment)),
  );
  const { rowCounts, fencedMs, sha256 } = moved;
  const rows = Object.values(rowCounts).reduce((sum, count) => sum + count, 0);
  const document = {
    ...plan,
    moved: true,
    rows,
    rowCounts,
    sha256,
    fencedMs: Math.round(fencedMs),
    forwarded,
    topicPrefix,
  };
  const { rowCounts: _, ...fields } = document;
  return {
    document,
    text: [
      formatFields(Object.entries(fields)),
      `Let its producers write to the topics of ${topicPrefix}, then repeat the command: it forwards what they have sent to the former topics.`,
      `The cell ${tenant.cell} has its rows until "tenantscope tenant move --tenant ${tenant.id} --confirm"; until then "--cell ${tenant.cell}" moves it back.`,
    ].join('\n'),
    problems,
  };
}

/** From the fence to the switch, which takes seconds, an interruption would leave the tenant without new rows: the first one counts afterwards. */
function createInterruptions(report: (line: string) => void) {
  let isInterrupted = false;
  const defer = () => {
    isInterrupted = true;
    report('interrupted: the command ends after the switch; interrupt it again to end it now');
  };
  return {
    defer: () => void process.once('SIGINT', defer).once('SIGTERM', defer),
    isInterrupted: () => isInterrupted,
    [Symbol.dispose]: () => void process.off('SIGINT', defer).off('SIGTERM', defer),
  };
}

/** Sends the records that were dead letters meanwhile to the cell of the tenant. Returns how many, and what is left where a cell does not respond. */
async function forward(
  tenantId: string,
  context: CommandContext,
  report: (line: string) => void,
): Promise<{ readonly forwarded: number; readonly problems: readonly string[] }> {
  let forwarded = 0;
  // While producers write to the former topics there is always more: that waits for the next command.
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const { document, problems = [] } = await replayMany({ tenant: tenantId, reason: 'OTHER_CELL' }, context);
    const { accepted } = document as { accepted: number };
    forwarded += accepted;
    if (accepted > 0) report(`${formatCount(accepted, 'record')} forwarded`);
    if (accepted === 0 || accepted >= before) return { forwarded, problems };
    before = accepted;
    await sleep(500);
  }
}

async function cancel(tenantId: string, urls: OwnerUrls, context: CommandContext): Promise<CommandResult> {
  const open = await (async () => {
    await using control = await openControl(urls, tenantId);
    const found = (await readMoves(control.client, tenantId)).open;
    if (found === null) throw new CommandError('no move of the tenant can be cancelled; "tenant list" shows moves');
    await using source = await openCell(urls, found.fromCell);
    await using target = await openCell(urls, found.toCell);
    await cancelMove({ control: control.client, source: source.client, target: target.client }, found);
    return found;
  })();
  const { forwarded, problems } = await forward(tenantId, context, () => {});
  const document = { tenantId, cell: open.fromCell, cancelled: true, replayed: forwarded };
  return { document, text: formatFields(Object.entries(document)), problems };
}

async function confirm(tenantId: string, urls: OwnerUrls): Promise<CommandResult> {
  await using control = await openControl(urls, tenantId);
  const { open, unconfirmed } = await readMoves(control.client, tenantId);
  if (unconfirmed === null || open !== null)
    throw new CommandError('no completed move of the tenant waits for a confirmation; "tenant list" shows moves');
  await using source = await openCell(urls, unconfirmed.fromCell);
  await using target = await openCell(urls, unconfirmed.toCell);
  await confirmMove({ control: control.client, source: source.client, target: target.client }, unconfirmed);
  const document = { tenantId, cell: unconfirmed.toCell, erasedIn: unconfirmed.fromCell, confirmed: true };
  return { document, text: formatFields(Object.entries(document)) };
}

async function openControl(urls: OwnerUrls, tenantId: string) {
  const client = await connectControl(urls.control, currentOperator());
  const opened = { client, [Symbol.asyncDispose]: () => client.end() };
  try {
    await lockMoves(client, tenantId);
    return opened;
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function openCell(urls: OwnerUrls, cell: string) {
  const client = await connectCell(findCell(urls, cell), currentOperator());
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

function findCell({ cells }: OwnerUrls, name: string): CellUrl {
  const found = cells.find(({ cell }) => cell === name);
  if (found === undefined) throw usageError(`TENANTSCOPE_CELLS does not name the cell ${name}`);
  return found;
}

const count = (value: number): string => value.toLocaleString('en');

/** A pass of millions of rows takes minutes. */
const reportIntervalMs = 10_000;

/** True at most once in an interval. */
function createReportInterval(): () => boolean {
  let reportedAtMs = performance.now();
  return () => {
    if (performance.now() - reportedAtMs < reportIntervalMs) return false;
    reportedAtMs = performance.now();
    return true;
  };
}

function describeStep(step: MoveStep): string {
  switch (step.kind) {
    case 'portion':
      return `comparing ${step.table}: portion ${count(step.portion)} of ${count(step.portions)}`;
    case 'pass':
      return `pass ${step.number}: ${formatCount(step.rows, 'row')} compared, ${count(step.copied)} copied, ${count(Math.round(step.ms))} ms`;
    case 'waiting':
      return `waiting: ${step.problem}`;
    case 'fenced':
      return `fenced: served through ${step.servedThrough}`;
    case 'verified':
      return `verified: ${formatCount(step.rows, 'row')}`;
    case 'switched':
      return `switched: fenced for ${count(Math.round(step.fencedMs))} ms`;
  }
}

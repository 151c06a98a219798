import { cellPattern, nameCellVariable, topicPrefixPattern } from '@tenantscope/runtime';
import type { CellState } from '@tenantscope/store/admin';
import { usageError } from '../../command-error.ts';
import { withAdmin } from '../../connections/admin-connection.ts';
import { readTopicPrefix } from '../../connections/connection-settings.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields, formatTable } from '../../output/table.ts';

export async function createCell(
  name: string,
  { topicPrefix }: { topicPrefix: string },
  context: CommandContext,
): Promise<CommandResult> {
  if (!cellPattern.test(name)) throw usageError('the name of a cell consists of a-z, 0-9 and hyphens, 32 at most');
  if (!topicPrefixPattern.test(topicPrefix))
    throw usageError('--topic-prefix must consist of alphanumeric characters, dots, hyphens and underscores');
  const defaultPrefix = readTopicPrefix(context.environment);
  if (topicPrefix === defaultPrefix)
    throw usageError(`--topic-prefix ${topicPrefix} is that of the cell default (TENANTSCOPE_TOPIC_PREFIX)`);
  const created = await withAdmin(context.environment, (admin) => admin.cells.create({ name, topicPrefix }));
  const variable = nameCellVariable(name, 'TENANTSCOPE_CELL_DATABASE');
  return {
    document: created,
    text: `${formatFields(Object.entries(created))}\nName it in TENANTSCOPE_CELLS and set ${variable} for the command line, the API and the console; then run "tenantscope migrate".`,
  };
}

/** A cell whose database does not respond is a problem, and hides no other. */
export async function listCells(context: CommandContext): Promise<CommandResult> {
  const found = await withAdmin(context.environment, (admin) => admin.cells.states());
  return { document: { data: found }, text: formatCells(found), problems: listCellProblems(found) };
}

export const listCellProblems = (cells: readonly CellState[]): string[] =>
  cells.flatMap(({ problem }) => (problem === null ? [] : [problem]));

export function formatCells(cells: readonly CellState[]): string {
  return formatTable(
    cells,
    [
      ['cell', ({ name }) => name],
      ['topic prefix', ({ topicPrefix }) => topicPrefix ?? 'of the configuration'],
      ['tenants', ({ tenants }) => tenants.toLocaleString('en')],
      [
        'state',
        ({ problem, hasOpenEpoch }) => (problem !== null ? 'unavailable' : hasOpenEpoch ? 'running' : 'not open'),
      ],
      ['complete through', ({ completeThrough }) => completeThrough],
      ['lag', ({ lagMs }) => (lagMs === null ? null : `${lagMs.toLocaleString('en')} ms`)],
      ['unread in Kafka', ({ unread }) => unread?.toLocaleString('en') ?? null],
      ['lanes not running', ({ haltedLanes }) => haltedLanes?.toLocaleString('en') ?? null],
      ['pending dead letters', ({ pendingDeadLetters }) => pendingDeadLetters?.toLocaleString('en') ?? null],
    ],
    'No cells.',
  );
}

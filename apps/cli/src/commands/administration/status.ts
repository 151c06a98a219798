import type { ApiKey, Status, TenantMove } from '@tenantscope/store/admin';
import { withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatCount } from '../../output/count.ts';
import { formatTable } from '../../output/table.ts';
import { formatCells, listCellProblems } from '../directory/cell.ts';
import { type BoundTopic, listBoundTopics } from '../ingestion/bound-topics.ts';
import { formatLane, formatTopic } from '../ingestion/lanes.ts';

export async function showStatus(context: CommandContext): Promise<CommandResult> {
  const [status, keys, { bindings }, cells, moves] = await withAdmin(context.environment, (admin) =>
    Promise.all([
      admin.availableStatus(),
      admin.keys.list(),
      listBoundTopics(admin, false),
      admin.cells.states(),
      admin.tenants.listMoves(),
    ]),
  );
  const counted = countKeys(keys, new Date().toISOString());
  const { active, expired, revoked } = counted;
  const text = [
    ...(cells.length > 1 ? [formatCells(cells)] : []),
    ...moves.map(formatMove),
    ...(cells.length > 1 && status !== null ? ['Of the cell default:'] : []),
    ...(status === null ? [] : formatStatus(status)),
    formatBoundTopics(bindings),
    `Keys: ${active} active, ${expired} expired, ${revoked} revoked.`,
  ].join('\n\n');
  return {
    document: {
      ...status,
      ...(status !== null && { mixedVersions: listVersions(status.processes).length > 1 }),
      bindings,
      keys: counted,
      cells,
      moves,
    },
    text,
    problems: listCellProblems(cells),
  };
}

/** A tenant that is fenced gets no new rows. */
function formatMove({ tenantId, fromCell, toCell, state, begunAt }: TenantMove): string {
  const next = {
    copying: 'unless the command is running, run it again',
    fenced: 'it gets no new rows; unless the command is running, run it again',
    switched: `the cell ${fromCell} has its rows until --confirm`,
  };
  return `Tenant ${tenantId} moves from ${fromCell} to ${toCell} since ${begunAt}, ${state}: ${next[state]}.`;
}

function formatBoundTopics(bindings: readonly BoundTopic[]): string {
  const unread = bindings.filter(({ state, reason }) => state !== 'read' || reason !== null);
  const end = unread.length > 0 ? '' : '.';
  return `Source bindings: ${bindings.length}, of which ${unread.length} not read${end}`.concat(
    ...unread.map(
      ({ cluster, topic, state, reason }) =>
        `\n${formatTopic(cluster, topic)} ${state}: ${reason ?? 'its lanes are not open yet'}`,
    ),
  );
}

/** Times are printed alike, so text compares as they do. */
export function countKeys(keys: readonly Pick<ApiKey, 'revokedAt' | 'expiresAt'>[], now: string) {
  const revoked = keys.filter(({ revokedAt }) => revokedAt !== null).length;
  const expired = keys.filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && expiresAt !== null && expiresAt <= now,
  ).length;
  return { active: keys.length - revoked - expired, expired, revoked };
}

/** Formats the status: how far each feed is complete, stopped lanes, and dead letters that need attention. */
function formatStatus(status: Status): string[] {
  const { aheadDays, retainedFrom, retentionDays } = status.partitions;
  const halted = status.lanes.filter((lane) => lane.reason !== null);
  return [
    formatTable(
      Object.entries(status.feeds),
      [
        ['feed', ([feed]) => feed],
        ['complete through', ([, { completeThrough }]) => completeThrough],
        ['lag', ([, { lagMs }]) => (lagMs === null ? null : `${lagMs.toLocaleString('en')} ms`)],
        ['unread in Kafka', ([, { unread }]) => unread.toLocaleString('en')],
        ['unread since', ([, { unreadSince }]) => unreadSince],
      ],
      'No feeds.',
    ),
    `Lanes: ${status.lanes.length}, of which ${halted.length} not running${halted.length > 0 ? '' : '.'}`.concat(
      ...halted.map((lane) => `\n${formatLane(lane)} ${lane.state}: ${lane.reason}`),
    ),
    formatTable(
      status.deadLetters.pending,
      [
        ['pending dead letters', ({ count }) => count.toLocaleString('en')],
        ['reason', ({ reason }) => reason],
        ['tenant', ({ tenantId }) => tenantId],
      ],
      'No dead letters are pending.',
    ),
    formatTable(
      status.unknownCategories,
      [
        ['rows of unknown categories', ({ rows }) => rows.toLocaleString('en')],
        ['category', ({ category }) => category],
        ['tenant', ({ tenantId }) => tenantId],
        ['last', ({ lastDiscoveredAt }) => lastDiscoveredAt],
      ],
      'No rows of unknown categories.',
    ),
    formatFailover(status),
    ...formatUpgrade(status),
    `History since ${retainedFrom ?? '–'}, retained for ${formatCount(retentionDays, 'day')}; partitions exist for the next ${formatCount(aheadDays ?? 0, 'day')}.`,
    formatSealed(status.partitions),
  ];
}

/** The epoch, and what a promotion would do to served pages, as each API sees it. */
function formatFailover({ epoch, processes }: Pick<Status, 'epoch' | 'processes'>): string {
  const since = epoch.openedAt === null ? '' : ` since ${epoch.openedAt}`;
  const state = epoch.isOpen ? '' : '; it is not open: nothing is served or written';
  const awaited = epoch.awaited === '' ? 'Commits wait for no standby.' : `Commits wait for ${epoch.awaited}.`;
  const reports = processes.flatMap(({ host, failover }) => (failover === null ? [] : [{ host, ...failover }]));
  const standbys = reports.flatMap(({ host, standbys }) => standbys.map((standby) => ({ host, ...standby })));
  const lines = [`Epoch ${epoch.number}${since}${state}. ${awaited}`];
  for (const { host, problem, waitsFor } of reports) {
    if (problem !== null) lines.push(`${host}: a failover is not safe: ${problem}.`);
    if (waitsFor !== null) lines.push(`${host}: the watermark waits for ${waitsFor}, which does not respond.`);
  }
  if (standbys.length > 0)
    lines.push(
      formatTable(
        standbys,
        [
          ['standby', ({ name }) => name],
          ['may be promoted', ({ isBounding }) => (isBounding ? 'yes' : 'no')],
          ['behind', ({ lagMs }) => (lagMs === null ? null : `${lagMs.toLocaleString('en')} ms`)],
          ['seen by', ({ host }) => host],
        ],
        '',
      ),
    );
  return lines.join('\n');
}

function formatSealed({ sealedBefore, unsealed, unsealedRowsDone }: Status['partitions']): string {
  const sealed = sealedBefore === null ? 'No history is sealed.' : `History before ${sealedBefore} is sealed.`;
  if (unsealed === 0) return sealed;
  return `${sealed} Closed partitions that are not sealed yet: ${unsealed}, of which ${formatCount(unsealedRowsDone, 'row is', 'rows are')} in sealed blocks.`;
}

/** What an upgrade changes: the processes with their versions, and the backfills that migrations began. */
function formatUpgrade({ processes, backfills }: Pick<Status, 'processes' | 'backfills'>): string[] {
  const versions = listVersions(processes);
  const table = formatTable(
    processes,
    [
      ['process', ({ app }) => app],
      ['version', ({ version }) => version],
      ['host', ({ host }) => host],
      ['since', ({ startedAt }) => startedAt],
    ],
    'No process has reported itself within a minute.',
  );
  const mixed = versions.length > 1 ? `\nProcesses of several versions run: ${versions.join(', ')}.` : '';
  const unfinished = backfills.map(
    ({ name, nextAt, untilAt }) => `Backfill ${name}: rows until ${nextAt} of ${untilAt} are done.`,
  );
  return [`${table}${mixed}`, ...(unfinished.length > 0 ? [unfinished.join('\n')] : [])];
}

const listVersions = (processes: Status['processes']): string[] =>
  [...new Set(processes.map(({ version }) => version))].toSorted();

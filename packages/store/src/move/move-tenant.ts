import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readErrorCode } from '../connection/errors.ts';
import { type MoveConnections, MoveRefused } from './connections.ts';
import * as fence from './fence.ts';
import { copyRetention, findSealingProblem, preparePartitions } from './log-partitions.ts';
import { type MoveRecord, openMove, setCopying, setFenced, switchCell } from './move-record.ts';
import { copyImports } from './moved-imports.ts';
import { movedTables } from './moved-tables.ts';
import { prepareRangeIndexes } from './portions.ts';
import {
  type ComparedPortion,
  type ComparedTable,
  type CopyOptions,
  copyTable,
  findFilled,
  readColumns,
  type VerifiedTable,
} from './table-copy.ts';
import { findUncountedProblem } from './uncounted-rows.ts';

export interface MoveOptions {
  readonly tenantId: string;
  readonly toCell: string;
  readonly actor: string;
  /** The tenant is fenced when a pass took at most so long: its records wait about as long. */
  readonly maxPassMs: number;
  readonly onProgress: (step: MoveStep) => void;
}

export type MoveStep =
  /** Of the pass that is under way, or of the comparison behind the fence. */
  | ({ readonly kind: 'portion' } & ComparedPortion)
  | {
      readonly kind: 'pass';
      readonly number: number;
      readonly rows: number;
      readonly copied: number;
      readonly ms: number;
    }
  | { readonly kind: 'waiting'; readonly problem: string }
  | { readonly kind: 'fenced'; readonly servedThrough: string }
  | { readonly kind: 'verified'; readonly rows: number }
  | { readonly kind: 'switched'; readonly fencedMs: number };

export interface MovedTenant {
  readonly id: string;
  readonly fromCell: string;
  readonly toCell: string;
  /** By table. */
  readonly rowCounts: Readonly<Record<string, number>>;
  readonly sha256: string;
  /** How long records of the tenant became no rows. */
  readonly fencedMs: number;
}

const waitingPollMs = 2_000;
const maxPasses = 20;
/** Replicas that are read lag by less: what they know of the tenant is no older than the beginning of the copy. */
const minCopyMs = 3_000;
const maxLagSeconds = 10;
/** No partition has the row: the target sealed it meanwhile. */
const noPartition = '23514';

/** Copies a tenant to another cell, and makes that its cell. Interrupted at any point, the same call continues. Throws MoveRefused. */
export async function moveTenant(connections: MoveConnections, options: MoveOptions): Promise<MovedTenant> {
  const { control, source, target } = connections;
  const { tenantId, onProgress } = options;
  const move = await openMove(control, options);
  if (connections.cells[0] !== move.fromCell)
    throw new MoveRefused(`the tenant is in the cell ${move.fromCell} now; run the command again`);
  await requireTicking(connections, move);
  await fence.beginArrival(target, tenantId, move.fromCell);
  if (move.state === 'fenced') await removeFence(connections, move);
  const totals = createTotals();
  const compared = new Map<string, ComparedTable>();
  const copied = await copyPasses(connections, options, { totals, compared });

  const servedThrough = await fence.beginDeparture(source, tenantId, move.toCell);
  await setFenced(control, move.id, servedThrough);
  onProgress({ kind: 'fenced', servedThrough });
  try {
    await requireCounted(connections);
    const range = { after: copied, through: null, isWritten: false };
    totals.add(await copyRange(connections, tenantId, { range, compared, onPortion: reportPortions(onProgress) }));
    await copyRetention(connections, tenantId);
    await copyImports(source, target, tenantId);
    onProgress({ kind: 'verified', rows: totals.rows() });
    await fence.liftLanes(target, servedThrough);
    if (!(await fence.isFenced(source, tenantId, servedThrough)))
      throw new MoveRefused(`the cell ${move.fromCell} has lost the mark of the tenant; run the command again`);
  } catch (error) {
    // Where a database does not respond, the next command does it.
    await removeFence(connections, move).catch(() => {});
    throw error;
  }
  await fence.removeMark(target, tenantId);
  const fencedMs = await switchCell(control, move, totals.read());
  onProgress({ kind: 'switched', fencedMs });
  return { id: move.id, fromCell: move.fromCell, toCell: move.toCell, ...totals.read(), fencedMs };
}

const reportPortions = (onProgress: MoveOptions['onProgress']) => (done: ComparedPortion) =>
  onProgress({ kind: 'portion', ...done });

/** The source takes records again while all rows are compared again. */
async function removeFence({ control, source }: MoveConnections, { id, tenantId }: MoveRecord): Promise<void> {
  await fence.removeMark(source, tenantId);
  await setCopying(control, id);
}

async function requireTicking({ source, target }: MoveConnections, { fromCell, toCell }: MoveRecord): Promise<void> {
  for (const [client, cell] of [
    [source, fromCell],
    [target, toCell],
  ] as const) {
    const lag = await fence.readLag(client);
    if (lag === null || lag > maxLagSeconds)
      throw new MoveRefused(
        lag === null
          ? `the cell ${cell} has no lanes: start its ingest`
          : `the cell ${cell} is ${Math.round(lag)} s behind: its ingest does not run, or its database is overloaded`,
      );
  }
}

/** Before the last comparison, which finds what a backfill has counted meanwhile. */
async function requireCounted(connections: MoveConnections): Promise<void> {
  const problem = await findUncountedProblem(connections);
  if (problem !== null) throw new MoveRefused(`${problem}; run the command again, which waits for it`);
}

/** Copies until a pass is short. Returns the time through which rows with stamps were compared. */
async function copyPasses(
  connections: MoveConnections,
  options: MoveOptions,
  { totals, compared }: { readonly totals: Totals; readonly compared: Map<string, ComparedTable> },
): Promise<string> {
  const { source, target } = connections;
  const { tenantId, maxPassMs, onProgress } = options;
  const begunAtMs = performance.now();
  let after: string | null = null;
  for (let number = 1; ; number++) {
    if (after === null) await waitUntilReady(connections, options);
    else await Promise.all([source, target].map((client) => prepareRangeIndexes(client, { analyze: number === 2 })));
    const startedAtMs = performance.now();
    const through = await fence.readSettled(source);
    let tables: VerifiedTable[];
    try {
      const range = { after, through, isWritten: true };
      tables = await copyRange(connections, tenantId, { range, compared, onPortion: reportPortions(onProgress) });
    } catch (error) {
      if (readErrorCode(error) !== noPartition) throw error;
      for (const client of [source, target]) await fence.unlockTenant(client, tenantId);
      [after, number] = [null, 0];
      totals.clear();
      compared.clear();
      continue;
    }
    totals.add(tables);
    const ms = performance.now() - startedAtMs;
    const sum = (count: (table: VerifiedTable) => number) => tables.reduce((total, table) => total + count(table), 0);
    onProgress({ kind: 'pass', number, rows: sum(({ rows }) => rows), copied: sum((table) => table.copied), ms });
    after = through;
    if (number > 1 && ms <= maxPassMs) {
      const restMs = minCopyMs - (performance.now() - begunAtMs);
      if (restMs <= 0) return through;
      await sleep(restMs);
    }
    if (number === maxPasses)
      throw new MoveRefused(
        `passes take ${Math.round(ms)} ms, and the records of the tenant would wait as long; repeat the command at a quieter time, or with a larger --max-pause`,
      );
  }
}

/** Returns with the lock of the tenant in both cells. */
async function waitUntilReady(connections: MoveConnections, { tenantId, onProgress }: MoveOptions): Promise<void> {
  const both = [connections.source, connections.target];
  let reported: string | null = null;
  for (;;) {
    for (const client of both) await fence.lockTenant(client, tenantId);
    await preparePartitions(connections, tenantId);
    await copyRetention(connections, tenantId);
    const problem = (await findSealingProblem(connections, tenantId)) ?? (await findUncountedProblem(connections));
    if (problem === null) return;
    for (const client of both) await fence.unlockTenant(client, tenantId);
    if (problem !== reported) onProgress({ kind: 'waiting', problem });
    reported = problem;
    await sleep(waitingPollMs);
  }
}

async function copyRange(connections: MoveConnections, tenantId: string, copy: CopyOptions): Promise<VerifiedTable[]> {
  const { source, target } = connections;
  const { range } = copy;
  const [columns, ...filled] = await Promise.all([
    readColumns(source),
    findFilled(source, tenantId, movedTables, range),
    findFilled(target, tenantId, movedTables, range),
  ]);
  const verified: VerifiedTable[] = [];
  for (const table of movedTables) {
    const own = columns.get(table.name);
    if (own === undefined) throw new TypeError(`there is no table models.${table.name}`);
    if (filled.some((names) => names.has(table.name)))
      verified.push(await copyTable(connections, tenantId, table, own, copy));
  }
  return verified;
}

interface Totals {
  add(tables: readonly VerifiedTable[]): void;
  clear(): void;
  rows(): number;
  read(): { readonly rowCounts: Readonly<Record<string, number>>; readonly sha256: string };
}

/** Of tables with stamps the ranges of all passes, of others the last pass. */
function createTotals(): Totals {
  const byTable = new Map<string, { rows: number; sha256s: readonly string[] }>();
  const stamped = new Set(movedTables.flatMap(({ name, stamp }) => (stamp === undefined ? [] : [name])));
  const rows = () => byTable.values().reduce((sum, table) => sum + table.rows, 0);
  return {
    add(tables) {
      for (const { name } of movedTables) if (!stamped.has(name)) byTable.delete(name);
      for (const { table, rows, sha256s } of tables) {
        const before = byTable.get(table) ?? { rows: 0, sha256s: [] };
        byTable.set(table, { rows: before.rows + rows, sha256s: [...before.sha256s, ...sha256s] });
      }
    },
    clear: () => byTable.clear(),
    rows,
    read() {
      const sorted = [...byTable]
        .filter(([, table]) => table.rows > 0)
        .sort(([one], [other]) => (one < other ? -1 : 1));
      const hash = createHash('sha256');
      for (const [table, { sha256s }] of sorted) hash.update(`${table} ${sha256s.join(' ')}\n`);
      return {
        rowCounts: Object.fromEntries(sorted.map(([table, { rows }]) => [table, rows])),
        sha256: hash.digest('hex'),
      };
    },
  };
}

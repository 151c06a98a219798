import { type FeedName, feedNames, topicName, topics } from '@tenantscope/contract';
import { defaultCell } from '@tenantscope/runtime';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { type CellPools, nameCell } from './cell-pools.ts';
import { translateErrors } from './database.ts';
import { DirectoryError } from './directory.ts';
import { type FeedStatus, readModelsStatus } from './status.ts';

const cell = z.object({
  name: z.string(),
  /** Null of the cell default: that of the configuration. */
  topicPrefix: z.string().nullable(),
  createdAt: z.string(),
  /** Tenants that are not closed. */
  tenants: z.number(),
});
export type Cell = z.infer<typeof cell>;

/** What the database of a cell says of it. */
export interface CellState extends Cell {
  /** Why the rest is unknown; null while the database responds. */
  readonly problem: string | null;
  /** The time through which every feed is complete; null while one is not known. */
  readonly completeThrough: string | null;
  readonly lagMs: number | null;
  readonly unread: number | null;
  readonly haltedLanes: number | null;
  readonly pendingDeadLetters: number | null;
  readonly hasOpenEpoch: boolean | null;
}

const columns = sql.fragment`id as name, topic_prefix as "topicPrefix", created_at as "createdAt",
  (select count(*)::integer from control.tenant t where t.cell = c.id and t.closed_at is null) as tenants`;

/** Throws DirectoryError where the name or the prefix is taken. */
export async function createCell(
  control: DatabasePool,
  { name, topicPrefix }: { name: string; topicPrefix: string },
): Promise<Cell> {
  const created = await control.maybeOne(sql.type(cell)`
    insert into control.cell as c (id, topic_prefix) values (${name}, ${topicPrefix}) on conflict do nothing
    returning id as name, topic_prefix as "topicPrefix", created_at as "createdAt", 0 as tenants`);
  if (created === null)
    throw new DirectoryError(
      `There is a cell ${name}, or one with the topic prefix ${topicPrefix}. "cell list" shows them.`,
    );
  return created;
}

/** The cell default first. */
export function listCells(control: DatabasePool): Promise<readonly Cell[]> {
  return control.any(sql.type(cell)`select ${columns} from control.cell c order by id <> 'default', id`);
}

/** The cell whose lanes read a topic of the product. */
export async function findCellOfTopic(control: DatabasePool, topic: string): Promise<string> {
  const hasTopic = ({ topicPrefix }: Cell) =>
    topicPrefix !== null && Object.values(topics).some((each) => topicName(topicPrefix, each) === topic);
  return (await translateErrors(listCells(control))).find(hasTopic)?.name ?? defaultCell;
}

/** With the state of each; a cell whose database does not respond has a problem, and hides no other. */
export async function listCellStates(control: DatabasePool, pools: CellPools): Promise<readonly CellState[]> {
  const cells = await translateErrors(listCells(control));
  return Promise.all(
    cells.map(async (each) => {
      try {
        const models = await pools.open(each.name);
        return { ...each, problem: null, ...(await nameCell(each.name, readCellState(models))) };
      } catch (error) {
        return { ...each, problem: (error as Error).message, ...unknownState };
      }
    }),
  );
}

const unknownState = {
  completeThrough: null,
  lagMs: null,
  unread: null,
  haltedLanes: null,
  pendingDeadLetters: null,
  hasOpenEpoch: null,
};

async function readCellState(models: DatabasePool) {
  const { feeds, lanes, pending, epoch } = await translateErrors(readModelsStatus(models));
  const all = feedNames.map((feed: FeedName): FeedStatus => feeds[feed]);
  const isComplete = all.every(({ completeThrough }) => completeThrough !== null);
  return {
    completeThrough: isComplete
      ? (all.flatMap(({ completeThrough }) => completeThrough ?? []).toSorted()[0] ?? null)
      : null,
    lagMs: isComplete ? Math.max(...all.map(({ lagMs }) => lagMs ?? 0)) : null,
    unread: lanes.reduce((sum, { unread }) => sum + (unread ?? 0), 0),
    haltedLanes: lanes.filter(({ reason }) => reason !== null).length,
    pendingDeadLetters: pending.reduce((sum, { count }) => sum + count, 0),
    hasOpenEpoch: epoch.isOpen,
  };
}

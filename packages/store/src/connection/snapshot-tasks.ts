import type pg from 'pg';

/** A read of a snapshot, on the connection that it is given. */
export type SnapshotTask<Value> = (client: pg.PoolClient) => Promise<Value>;

/** Runs `work` on a second connection to the same snapshot. Resolves when that has ended, or when it cannot be opened. */
export type UseSecond = (work: (client: pg.PoolClient) => Promise<void>) => Promise<void>;

interface Batch {
  /** Those that have not begun. */
  readonly tasks: ((client: pg.PoolClient) => Promise<void>)[];
  running: number;
  failure: { readonly error: unknown } | null;
}

type RunTasks = <Value>(client: pg.PoolClient, tasks: readonly SnapshotTask<Value>[]) => Promise<Value[]>;

const sharedSnapshots = new WeakMap<pg.ClientBase, RunTasks>();

/**
 * Reads that do not depend on each other, begun in their order and divided among the connections that `withReadSnapshot` has for the snapshot of
 * `client`: all of them see the same rows. A task may divide its own reads in turn. A task must not rely on settings of the transaction that another
 * task made. Rejects with the first error, when no task runs any more; those that had not begun are not run.
 */
export async function readTogether<Values extends readonly unknown[]>(
  client: pg.PoolClient,
  tasks: { readonly [Key in keyof Values]: SnapshotTask<Values[Key]> },
): Promise<Values> {
  const run = sharedSnapshots.get(client) ?? runInOrder;
  return (await run(client, tasks as readonly SnapshotTask<unknown>[])) as readonly unknown[] as Values;
}

async function runInOrder<Value>(client: pg.PoolClient, tasks: readonly SnapshotTask<Value>[]): Promise<Value[]> {
  const values: Value[] = [];
  for (const task of tasks) values.push(await task(client));
  return values;
}

/** Runs `work`, in which `readTogether` uses a second connection to the snapshot of `client` too. `findSecond` resolves with null while none is free. */
export async function withSharedSnapshot<Value>(
  client: pg.PoolClient,
  findSecond: () => Promise<UseSecond | null>,
  work: () => Promise<Value>,
): Promise<Value> {
  sharedSnapshots.set(client, createTaskRunner(findSecond));
  try {
    return await work();
  } finally {
    sharedSnapshots.delete(client);
  }
}

function createTaskRunner(findSecond: () => Promise<UseSecond | null>): RunTasks {
  const batches: Batch[] = [];
  const changes = createSignal();

  /** Runs tasks of these batches, of the newest one first. */
  async function runUntil(isEnded: () => boolean, on: pg.PoolClient, from: readonly Batch[]): Promise<void> {
    while (!isEnded()) {
      const batch = from.findLast(({ tasks }) => tasks.length > 0);
      const task = batch?.tasks.shift();
      if (batch === undefined || task === undefined) {
        await changes.next();
        continue;
      }
      batch.running += 1;
      await task(on).catch((error: unknown) => {
        batch.failure ??= { error };
        batch.tasks.length = 0;
      });
      batch.running -= 1;
      changes.signal();
    }
  }

  const runOnSecond = async (second: pg.PoolClient): Promise<void> => {
    sharedSnapshots.set(second, runTogether);
    await runUntil(() => batches.length === 0, second, batches);
    sharedSnapshots.delete(second);
  };

  async function runTogether<Value>(on: pg.PoolClient, tasks: readonly SnapshotTask<Value>[]): Promise<Value[]> {
    const values: Value[] = [];
    const storing = tasks.map((task, index) => async (one: pg.PoolClient) => {
      values[index] = await task(one);
    });
    const batch: Batch = { tasks: storing, running: 0, failure: null };
    const isOutermost = batches.length === 0;
    const useSecond = isOutermost && tasks.length > 1 ? await findSecond() : null;
    batches.push(batch);
    changes.signal();
    const second = useSecond?.(runOnSecond);
    // A connection that runs a task has the settings of that task: until its end it runs only parts of it.
    await runUntil(() => batch.tasks.length + batch.running === 0, on, isOutermost ? batches : [batch]);
    batches.splice(batches.indexOf(batch), 1);
    changes.signal();
    await second;
    if (batch.failure) throw batch.failure.error;
    return values;
  }

  return runTogether;
}

interface Signal {
  signal(): void;
  next(): Promise<void>;
}

function createSignal(): Signal {
  let waiting: (() => void)[] = [];
  return {
    signal() {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

import type { Observed } from './observations.ts';

export interface Task {
  readonly what: Record<string, unknown>;
  run(): Promise<void>;
}

export interface Directly extends AsyncDisposable {
  /** Nothing happens while earlier tasks are being done. */
  begin(tasks: readonly Task[]): void;
}

/** Does tasks one after another, in an order of its own, so that several processes do not queue for the same tenant. Disposing waits for the one that is on. */
export function createDirectly(observed: Observed): Directly {
  let running: Promise<void> | null = null;
  let stopped = false;
  const all = async (tasks: readonly Task[]) => {
    for (const { what, run } of shuffled(tasks)) {
      if (stopped) return;
      observed.direct(what);
      await run().catch((error: unknown) => observed.trouble('what was to be done without the queue', error));
    }
  };
  return {
    begin(tasks) {
      if (running || tasks.length === 0) return;
      running = all(tasks).finally(() => {
        running = null;
      });
    },
    async [Symbol.asyncDispose]() {
      stopped = true;
      await running;
    },
  };
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

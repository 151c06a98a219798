import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

// A process that takes processor time and nothing else: no memory, no locks, no I/O. It shows what other work of the same size costs.

/** As long as a statement of a part of the log. */
const burstMs = 40;

/** Takes this many processors on average, in bursts of the length of a statement; resolves at its end. */
async function load(processors: number, durationMs: number): Promise<void> {
  const beganAt = performance.now();
  const before = process.cpuUsage();
  const takenMs = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  for (;;) {
    const elapsedMs = performance.now() - beganAt;
    if (elapsedMs >= durationMs) return;
    const missingMs = processors * elapsedMs + burstMs - takenMs();
    if (missingMs < burstMs) await sleep((burstMs - missingMs) / processors);
    else for (const untilMs = takenMs() + burstMs; takenMs() < untilMs; );
  }
}

export interface ProcessorLoad extends Disposable {
  /** Takes this many processors on average, at most one per process; resolves after this time. */
  run(processors: number, durationMs: number): Promise<void>;
}

/** Starts a process of its own, and in a session of its own like each process of the product; resolves when it is ready. */
export async function startProcessorLoad(): Promise<ProcessorLoad> {
  const child = fork(fileURLToPath(import.meta.url), { detached: true });
  await once(child, 'message');
  return {
    async run(processors, durationMs) {
      const ended = once(child, 'message');
      child.send({ processors, durationMs });
      await ended;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('message', ({ processors, durationMs }: { processors: number; durationMs: number }) => {
    load(processors, durationMs).then(() => process.send?.('ended'));
  });
  process.on('disconnect', () => process.exit());
  process.send('ready');
}

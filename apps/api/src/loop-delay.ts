import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loopDelayMaxMs } from './limits.ts';

const sampleMs = 1_000;
const resolutionMs = 20;

/** Whether the process is too busy to begin more reads: the event loop's mean delay over the last second. */
export function watchLoopDelay(): { overloaded(): boolean } & Disposable {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let meanMs = 0;
  const timer = setInterval(() => {
    // The histogram measures the whole interval, of which the resolution itself is no delay.
    meanMs = delay.count > 0 ? delay.mean / 1e6 - resolutionMs : 0;
    delay.reset();
  }, sampleMs).unref();
  return {
    overloaded: () => meanMs > loopDelayMaxMs,
    [Symbol.dispose]() {
      clearInterval(timer);
      delay.disable();
    },
  };
}

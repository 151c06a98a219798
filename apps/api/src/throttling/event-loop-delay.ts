import { monitorEventLoopDelay } from 'node:perf_hooks';
import { eventLoopDelayMaxMs } from '../limits.ts';

const sampleMs = 1_000;
const resolutionMs = 20;

/** Reports overload from the event loop's mean delay over the last second. */
export function watchEventLoopDelay(): { overloaded(): boolean } & Disposable {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let meanMs = 0;
  const timer = setInterval(() => {
    // The histogram measures the whole interval; the resolution itself is not delay.
    meanMs = delay.count > 0 ? delay.mean / 1e6 - resolutionMs : 0;
    delay.reset();
  }, sampleMs).unref();
  return {
    overloaded: () => meanMs > eventLoopDelayMaxMs,
    [Symbol.dispose]() {
      clearInterval(timer);
      delay.disable();
    },
  };
}

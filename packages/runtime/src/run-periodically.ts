/** Runs a task at once and then repeatedly, with a pause between two runs. Disposing waits for the current run. */
export function runPeriodically(pauseMs: number, run: () => Promise<void>): AsyncDisposable {
  const stop = Promise.withResolvers<void>();
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      await run();
      let timer: NodeJS.Timeout | undefined;
      const pause = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, pauseMs);
      });
      await Promise.race([pause, stop.promise]);
      clearTimeout(timer);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      stop.resolve();
      await running;
    },
  };
}

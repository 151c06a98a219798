import type { Log } from './log.ts';

/**
 * Runs `stop` once on SIGTERM or SIGINT, then exits 0; a second signal or the deadline exits at once with 1.
 * The deadline stays below the usual 30–45 s of grace that a supervisor gives.
 */
export function onShutdown(log: Log, stop: () => Promise<void>, deadlineMs = 20_000): void {
  let stopping = false;
  const begin = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error({ deadlineMs }, 'stopping took too long');
      process.exit(1);
    }, deadlineMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', begin);
  process.on('SIGINT', begin);
}

/** A programming mistake ends the process with a line that says so; its supervisor starts a clean one. */
export function exitOnCrash(log: Log): void {
  const crash = (error: unknown) => {
    log.fatal({ err: error }, 'crashed');
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}

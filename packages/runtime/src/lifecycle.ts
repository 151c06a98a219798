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
    log.info({ signal }, 'shutting down');
    setTimeout(() => {
      log.error({ deadlineMs }, 'shutdown deadline exceeded; exiting');
      process.exit(1);
    }, deadlineMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed; exiting');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', begin);
  process.on('SIGINT', begin);
}

/** Logs an unhandled error and exits with 1; the supervisor starts a new process. */
export function exitOnCrash(log: Log): void {
  const crash = (error: unknown) => {
    log.fatal({ err: error }, 'unhandled error; exiting');
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}

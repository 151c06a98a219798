import { createLog, exitOnCrash, onShutdown, readProcessConfig } from '@tenantscope/runtime';
import { consoleConfig } from './config.ts';
import { type RunningConsole, startConsole } from './start.ts';

/** For requests that are running, and to close. */
const closingMs = 20_000;

const config = readProcessConfig(process, 'console', consoleConfig);
const log = createLog({ name: 'console', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
let running: RunningConsole | null = null;
// Before the start, which waits for databases: as process 1 of a container it would ignore the signal.
onShutdown(log, async () => running?.[Symbol.asyncDispose](), config.TENANTSCOPE_DRAIN_MS + closingMs);
running = await startConsole(config, log);

import { createLog, exitOnCrash, onShutdown, readConfig } from '@tenantscope/runtime';
import { consoleConfig } from './config.ts';
import { startConsole } from './start.ts';

const config = readConfig(consoleConfig);
const log = createLog({ name: 'console', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
const running = await startConsole(config, log);
onShutdown(log, async () => running[Symbol.asyncDispose]());

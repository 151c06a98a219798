import { createLog, exitOnCrash, onShutdown, readProcessConfig } from '@tenantscope/runtime';
import { consoleConfig } from './config.ts';
import { startConsole } from './start.ts';

const config = readProcessConfig(process, 'console', consoleConfig);
const log = createLog({ name: 'console', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
const running = await startConsole(config, log);
onShutdown(log, async () => running[Symbol.asyncDispose]());

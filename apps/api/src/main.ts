import { collectBuffersWithHeap, createLog, exitOnCrash, onShutdown, readConfig } from '@tenantscope/runtime';
import { apiConfig } from './config.ts';
import { startApi } from './start.ts';

collectBuffersWithHeap();
const config = readConfig(apiConfig);
const log = createLog({ name: 'api', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
const api = await startApi(config, log);
onShutdown(log, async () => api[Symbol.asyncDispose]());

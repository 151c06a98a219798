import {
  collectBuffersWithHeap,
  createLog,
  exitOnCrash,
  onShutdown,
  readProcessConfig,
  startTraces,
} from '@tenantscope/runtime';
import { apiConfig } from './config.ts';
import { startApi } from './start.ts';

/** For requests that are running, and to close. */
const closingMs = 20_000;

collectBuffersWithHeap();
const config = readProcessConfig(process, 'api', apiConfig);
const log = createLog({ name: 'api', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
const traces = await startTraces(config, 'api', log);
const api = await startApi(config, log);
onShutdown(
  log,
  async () => {
    await api[Symbol.asyncDispose]();
    await traces[Symbol.asyncDispose]();
  },
  config.TENANTSCOPE_DRAIN_MS + closingMs,
);

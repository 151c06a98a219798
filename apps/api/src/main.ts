import {
  collectBuffersWithHeap,
  createLog,
  exitOnCrash,
  onShutdown,
  readProcessConfig,
  startTraces,
} from '@tenantscope/runtime';
import { apiConfig } from './config.ts';
import { type Api, startApi } from './start.ts';

/** For requests that are running, and to close. */
const closingMs = 20_000;

collectBuffersWithHeap();
const config = readProcessConfig(process, 'api', apiConfig);
const log = createLog({ name: 'api', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
const traces = await startTraces(config, 'api', log);
let api: Api | null = null;
// Before the start, which waits for databases: as process 1 of a container it would ignore the signal.
onShutdown(
  log,
  async () => {
    await api?.[Symbol.asyncDispose]();
    await traces[Symbol.asyncDispose]();
  },
  config.TENANTSCOPE_DRAIN_MS + closingMs,
);
api = await startApi(config, log);

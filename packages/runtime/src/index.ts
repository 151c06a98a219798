export { ConfigError, readConfig } from './config.ts';
export { type HealthProbes, type HealthServer, serveHealth } from './health.ts';
export { exitOnCrash, onShutdown } from './lifecycle.ts';
export { createLog, type Log, redactSecrets } from './log.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { readTextOrFile } from './read-text-or-file.ts';

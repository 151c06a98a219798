export { ConfigError } from './config/config-error.ts';
export { followKey } from './config/follow-key.ts';
export { followSecret } from './config/follow-secret.ts';
export { logSecretChange } from './config/log-secret-change.ts';
export { drainVariable, processVariables, readProcessConfig } from './config/process-config.ts';
export { type Environment, readConfig } from './config/read-config.ts';
export { findSimilar } from './config/similar-names.ts';
export {
  commaList,
  databaseUrl,
  databaseUrlList,
  describeVariables,
  listVariables,
  optionalDatabaseUrl,
  port,
  secret,
  type Variable,
  variable,
} from './config/variables.ts';
export {
  type CellUrls,
  cellPattern,
  cellVariables,
  defaultCell,
  migratedCellVariables,
  nameCellVariable,
  ownCellVariable,
  readCells,
  servedCellVariables,
} from './connection/cells.ts';
export {
  type KafkaConnection,
  kafkaVariables,
  readKafkaConnection,
  topicPrefixPattern,
  topicVariables,
} from './connection/kafka.ts';
export { kafkaClusterVariables, mainCluster, readKafkaClusters } from './connection/kafka-clusters.ts';
export { describeKafkaError, isKafkaAccessRefused, isTopicUnknown } from './connection/kafka-error.ts';
export { isLoopback } from './connection/plaintext.ts';
export { postgresVariables } from './connection/postgres.ts';
export { describePostgresError } from './connection/postgres-error.ts';
export { readDatabasePasswords } from './connection/postgres-password.ts';
export { type RedisConnection, readRedisConnection, redisVariables } from './connection/redis.ts';
export { describeRedisError } from './connection/redis-error.ts';
export { createTlsOptions, type TlsOptions } from './connection/tls.ts';
export { collectBuffersWithHeap } from './external-memory.ts';
export { type HealthProbes, type HealthServer, serveHealth } from './health.ts';
export { normalizeClientAddress } from './http/client-address.ts';
export { type ConnectionTimeouts, connectionTimeouts, toServerTimeouts } from './http/connection-timeouts.ts';
export { endIdleConnection } from './http/idle-connection.ts';
export { afterExchanges, listOpenExchanges, trackExchange } from './http/open-exchanges.ts';
export { acceptsGzip, parseQualityValues } from './http/quality-values.ts';
export { exitOnCrash, onShutdown } from './lifecycle.ts';
export { createLog, type Log, redactSecrets } from './log.ts';
export { createMetrics, type MetricDeclaration, type MetricName, type Metrics } from './metrics.ts';
export { retryEverySecond } from './retry.ts';
export { runPeriodically } from './run-periodically.ts';
export { createSequence, type Sequence } from './sequence.ts';
export { activeRecorder, type ServerSpan, type SpanAttributes, type SpanRecorder, withSpan } from './traces/spans.ts';
export { startTraces, traceVariables } from './traces/start-traces.ts';

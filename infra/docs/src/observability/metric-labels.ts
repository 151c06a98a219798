/** Every label of the product's metrics. A label that is not here has no description and fails the tests: so does one of a tenant, a key or an id. */
export const metricLabels: Readonly<Record<string, string>> = {
  cell: 'name of a cell; ingest and jobs have it on every series, also on those of Node.js',
  cluster: 'configured name of a Kafka cluster; `main` for the own one',
  codec: 'compression of a Kafka batch: gzip, snappy, lz4, zstd or the number of an unknown one',
  feed: 'feed of the API, such as logs or detections',
  late: 'true if a snapshot was taken after its week was due',
  method: 'HTTP method',
  operation: 'operation of the API, such as list_logs; all other paths share one value',
  outcome:
    'how a run of a collector ended: completed, interrupted, inactive, lost, throttled, unavailable, refused, unlicensed, tooLarge or invalid',
  partition: 'number of a partition',
  poller: 'of the canary: `cursor` follows the cursor, `window` reads windows, `repeat` reads them again',
  pool: 'database connections of the API: reads or documents',
  process: 'api, ingest, jobs, console or collect',
  provider: 'provider that a collector reads',
  reason: 'reason of a dead letter or of a refused request',
  replica: 'host and port of a read replica',
  result: 'result of a lookup in a cache, or of a request to a replica: served or repeated',
  standby: 'name of a standby that may be promoted, or its host and port',
  status:
    'HTTP status; of a failed tool call that of its error; in the API 499 if the connection ended before the response was sent',
  step: 'step of the canary: write, follow, window or repeat',
  topic: 'name of a Kafka topic, with the configured prefix; of source bindings, the name that the customer chose',
  trigger: 'scheduled or manual',
};

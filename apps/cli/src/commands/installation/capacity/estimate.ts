/** What an installation has to store. */
export interface Workload {
  /** Of all tenants together. */
  readonly eventsPerDay: number;
  readonly tenants: number;
  readonly retentionDays: number;
  /** Days for which Kafka retains records, and on how many brokers. */
  readonly kafkaDays: number;
  readonly kafkaReplicas: number;
  /** The busiest minute relative to the average one. */
  readonly peakFactor: number;
}

export interface Estimate {
  readonly events: { readonly stored: number; readonly averagePerSecond: number; readonly peakPerSecond: number };
  /** Bytes on disk of one PostgreSQL server at the end of the retention. */
  readonly postgresBytes: Readonly<
    Record<'log' | 'rawRecords' | 'identities' | 'facts' | 'reads' | 'blocks' | 'counts' | 'snapshots', number>
  >;
  /** Bytes of write-ahead log a day: of events, and of the lanes' clocks, which move without events too. */
  readonly walBytesPerDay: Readonly<Record<'events' | 'lanes', number>>;
  /** Bytes on disk of all brokers together. */
  readonly kafkaBytes: number;
  /** Processor cores at the peak, of ingest, PostgreSQL and Kafka together: on fast and on slow cores. */
  readonly ingestCores: { readonly from: number; readonly to: number };
  /** Bytes: rows of the newest day, which pollers read, and processes of the product, one of each. */
  readonly memoryBytes: Readonly<Record<'newestDay' | 'processes', number>>;
  /** Of `models.audit_log`, with the width that keeps a partition small. */
  readonly partitions: { readonly widthDays: number; readonly count: number; readonly rowsEach: number };
  /** Requests a second of one poller per tenant that reads six feeds once a minute. */
  readonly pollsPerSecond: number;
}

/**
 * Measured by `npm run bench -- ingestion` with records of the demonstration companies (1,130 bytes each), bytes per event with indexes; blocks: ADR 0015, sealed rows: ADR 0019.
 * Facts and reads of files of the ten million rows of `npm run bench -- large`, 7 % of them interactions with AI and 14 % reads. Events of other organizations differ by
 * their size and kind.
 */
const rowBytes = { log: 1_675, sealed: 557, rawRecords: 212, identities: 146, facts: 121, reads: 96, blocks: 13 };
/** A record of 1,130 bytes with nine headers in the broker's log, as collectors send it without compression. */
const kafkaRecordBytes = 1_530;
/** ADR 0016: tallies of tenants with 500 rows a day, of which larger ones have fewer per row, for as long as each kind is retained. */
const countBytesPerDailyEvent = 1.46 * 277 * 38;
/** ADR 0016: of tenants with 500 rows a day, with their reads of files; and ADR 0019, when the row is sealed. */
const walBytesPerEvent = 3_060 + 589;
/** 42 lanes without an event wrote 3.2 kB of WAL a second, most of it what processes report of lanes; ticks write 112 bytes each, ten times a second. */
const walBytesOfLanesPerDay = 4_300 * 86_400;
/** Of the demonstration's tenants. */
const snapshotBytes = 132_000;
/** Processor time of an event: ADR 0016 on idle cores, 112 before tallies and reads and up to 22 for them; and the slowest virtual machine that was measured. */
const ingestUs = { from: 130, to: 350 };
/** Resident memory of api, ingest while it reads as fast as it can, jobs and console. */
const processBytes = (265 + 1_040 + 150 + 135) * 1_000_000;
/** A partition of more rows takes long to vacuum and to build an index on. */
const maxPartitionRows = 20_000_000;
const widths = [31, 7, 1];
/** From the end of a partition, by default. */
const sealAfterDays = 1;
const feedsPerMinute = 6;

/** Pure arithmetic on measured constants; see docs/operations/capacity.md. */
export function estimateCapacity(workload: Workload): Estimate {
  const { eventsPerDay, tenants, retentionDays, kafkaDays, kafkaReplicas, peakFactor } = workload;
  const stored = eventsPerDay * retentionDays;
  const averagePerSecond = eventsPerDay / 86_400;
  const peakPerSecond = averagePerSecond * peakFactor;
  const cores = (microseconds: number) => (peakPerSecond * microseconds) / 1e6;
  const widthDays = widths.find((days) => days * eventsPerDay <= maxPartitionRows) ?? 1;
  const unsealed = eventsPerDay * Math.min(retentionDays, widthDays + sealAfterDays);
  return {
    events: { stored, averagePerSecond, peakPerSecond },
    postgresBytes: {
      log: unsealed * rowBytes.log + (stored - unsealed) * rowBytes.sealed,
      rawRecords: stored * rowBytes.rawRecords,
      identities: stored * rowBytes.identities,
      facts: stored * rowBytes.facts,
      reads: stored * rowBytes.reads,
      blocks: stored * rowBytes.blocks,
      counts: eventsPerDay * countBytesPerDailyEvent,
      snapshots: tenants * Math.ceil(retentionDays / 7) * snapshotBytes,
    },
    walBytesPerDay: { events: eventsPerDay * walBytesPerEvent, lanes: walBytesOfLanesPerDay },
    kafkaBytes: eventsPerDay * kafkaDays * kafkaReplicas * kafkaRecordBytes,
    ingestCores: { from: cores(ingestUs.from), to: cores(ingestUs.to) },
    memoryBytes: { newestDay: eventsPerDay * rowBytes.log, processes: processBytes },
    partitions: { widthDays, count: Math.ceil(retentionDays / widthDays) + 1, rowsEach: eventsPerDay * widthDays },
    pollsPerSecond: (tenants * feedsPerMinute) / 60,
  };
}

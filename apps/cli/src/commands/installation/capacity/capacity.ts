import { parseInteger } from '../../../input/option-parsers.ts';
import type { CommandResult } from '../../../output/command-result.ts';
import { formatCount } from '../../../output/count.ts';
import { formatFields } from '../../../output/table.ts';
import { type Estimate, estimateCapacity, type Workload } from './estimate.ts';

export interface CapacityOptions {
  readonly eventsPerDay: string;
  readonly tenants: string;
  readonly retentionDays: string;
  readonly kafkaDays: string;
  readonly kafkaReplicas: string;
  readonly peakFactor: string;
}

export function showCapacity(options: CapacityOptions): CommandResult {
  const workload = readWorkload(options);
  const estimate = estimateCapacity(workload);
  return { document: { workload, ...estimate }, text: formatEstimate(workload, estimate) };
}

function readWorkload(options: CapacityOptions): Workload {
  return {
    eventsPerDay: parseInteger(options.eventsPerDay, '--events-per-day', { from: 1, to: 999_999_999 }),
    tenants: parseInteger(options.tenants, '--tenants', { from: 1, to: 1_000_000 }),
    // The floor of the database: evidence reads half a year back.
    retentionDays: parseInteger(options.retentionDays, '--retention-days', { from: 183, to: 3_650 }),
    kafkaDays: parseInteger(options.kafkaDays, '--kafka-days', { from: 1, to: 365 }),
    kafkaReplicas: parseInteger(options.kafkaReplicas, '--kafka-replicas', { from: 1, to: 9 }),
    peakFactor: parseInteger(options.peakFactor, '--peak-factor', { from: 1, to: 100 }),
  };
}

function formatEstimate(workload: Workload, estimate: Estimate): string {
  const { events, postgresBytes: disk, walBytesPerDay: wal, ingestCores, memoryBytes, partitions } = estimate;
  const diskBytes = Object.values(disk).reduce((sum, bytes) => sum + bytes, 0);
  const parts = [
    `log ${formatBytes(disk.log)}`,
    `raw records ${formatBytes(disk.rawRecords)}`,
    `identities ${formatBytes(disk.identities)}`,
    `facts ${formatBytes(disk.facts)}`,
    `reads of files ${formatBytes(disk.reads)}`,
    `blocks ${formatBytes(disk.blocks)}`,
    `counts ${formatBytes(disk.counts)}`,
    `snapshots ${formatBytes(disk.snapshots)}`,
  ];
  return formatFields([
    ['Events', `${formatRate(events.averagePerSecond)} a second, ${formatRate(events.peakPerSecond)} at the peak`],
    ['Stored', `${formatWhole(events.stored)} events after ${formatCount(workload.retentionDays, 'day')}`],
    ['PostgreSQL disk', `${formatBytes(diskBytes)}: ${parts.join(', ')}`],
    ['WAL', `${formatBytes(wal.events + wal.lanes)} a day, ${formatBytes(wal.lanes)} of it without any event`],
    [
      'Kafka disk',
      `${formatBytes(estimate.kafkaBytes)}: ${formatCount(workload.kafkaDays, 'day')} on ${formatCount(workload.kafkaReplicas, 'broker')}, without compression`,
    ],
    // Between fast and slow cores lies a factor of 2.7: more digits would pretend to know the machine.
    ['Ingestion', `up to ${(Math.ceil(ingestCores.to * 10) / 10).toFixed(1)} processor cores at the peak`],
    [
      'Memory',
      `${formatBytes(memoryBytes.newestDay)} to cache the newest day, ${formatBytes(memoryBytes.processes)} for one process of each kind`,
    ],
    [
      'Partitions',
      `${partitions.count} of ${formatCount(partitions.widthDays, 'day')} with ${formatCount(Math.round(partitions.rowsEach), 'row')} each`,
    ],
    ['Polling', `${formatRate(estimate.pollsPerSecond)} requests a second: six feeds of each tenant once a minute`],
    ['Not included', 'replicas, backups, entities, free space; see docs/operations/capacity.md'],
  ]);
}

const formatWhole = (count: number): string => Math.round(count).toLocaleString('en-US');

const formatRate = (rate: number): string => (rate < 10 ? rate.toFixed(1) : formatWhole(rate));

/** In decimal units, as disks are sold. */
function formatBytes(bytes: number): string {
  const units = ['MB', 'GB', 'TB', 'PB'];
  let value = bytes / 1e6;
  let unit = 0;
  for (; value >= 1_000 && unit < units.length - 1; unit++) value /= 1_000;
  return `${value < 10 ? value.toFixed(1) : formatWhole(value)} ${units[unit]}`;
}

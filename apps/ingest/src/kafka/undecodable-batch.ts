import { mainCluster } from '@tenantscope/runtime';

/** A batch of the log that no record can be read of. Its lane stops before it; all other lanes continue. */
export interface UndecodableBatch {
  readonly firstOffset: bigint;
  readonly lastOffset: bigint;
  /** What is wrong with it, as the end of a sentence about the batch. */
  readonly problem: string;
  readonly codec: string;
  /** The batch as the broker stores it, compressed, with its header. */
  readonly bytes: Buffer;
  /** By the header of the batch; null where the header itself cannot be read. */
  readonly header: BatchOrigin | null;
  /** Key and CloudEvents headers of the first record, where they lie within the first mebibyte. */
  readonly firstRecord: FirstRecord | null;
}

export interface BatchOrigin {
  readonly recordCount: number;
  readonly producerId: bigint;
  readonly producerEpoch: number;
  /** The greatest timestamp of its records, epoch ms. */
  readonly maxTimestampMs: number;
}

export interface FirstRecord {
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

interface LaneName {
  /** The configured name of its Kafka cluster. */
  readonly cluster: string;
  readonly topic: string;
  readonly partition: number;
}

/** As arguments of the command line. */
const formatLane = ({ cluster, topic, partition }: LaneName): string =>
  `${topic}/${partition}${cluster === mainCluster ? '' : ` --cluster ${cluster}`}`;

/** The reason of the lane: offsets, problem, producer, and what to do. */
export function describeUndecodableBatch(lane: LaneName, batch: UndecodableBatch): string {
  const { firstOffset, lastOffset, header, firstRecord, bytes } = batch;
  const facts = [
    `${bytes.length} bytes`,
    ...(header === null ? [] : describeOrigin(header)),
    ...Object.entries(firstRecord?.headers ?? {}).map(([name, value]) => `${name} ${value}`),
  ];
  return [
    `batch at offsets ${firstOffset} to ${lastOffset} cannot be decoded: ${batch.problem} (${facts.join(', ')})`,
    `skip it with "tenantscope lanes skip ${formatLane(lane)} --to ${lastOffset + 1n} --reason TEXT"`,
  ].join('; ');
}

/** The same facts as log fields. */
export function logUndecodableBatch({ bytes, header, ...batch }: UndecodableBatch): Record<string, unknown> {
  return {
    ...batch,
    firstOffset: String(batch.firstOffset),
    lastOffset: String(batch.lastOffset),
    bytes: bytes.length,
    ...(header === null
      ? {}
      : {
          records: header.recordCount,
          producerId: String(header.producerId),
          producerEpoch: header.producerEpoch,
          producedAt: formatTimestamp(header.maxTimestampMs),
        }),
  };
}

function describeOrigin({ recordCount, producerId, producerEpoch, maxTimestampMs }: BatchOrigin): string[] {
  const producedAt = formatTimestamp(maxTimestampMs);
  return [
    `${recordCount} records`,
    ...(producerId < 0n ? [] : [`producer ${producerId} epoch ${producerEpoch}`]),
    ...(producedAt === null ? [] : [`produced at ${producedAt}`]),
  ];
}

function formatTimestamp(epochMs: number): string | null {
  const date = new Date(epochMs);
  return epochMs >= 0 && !Number.isNaN(date.getTime()) ? date.toISOString() : null;
}

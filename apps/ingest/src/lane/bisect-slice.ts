import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import type { Slice } from './lane-pipeline.ts';
import type { WriteOutcome } from './lane-write.ts';

/** The database rejected a row without naming it: writes the slice in halves, until the record is alone and is dead-lettered whole. */
export async function bisectSlice<Prepared>(
  slice: Slice<Prepared>,
  steps: {
    prepare(records: readonly KafkaRecord[]): Promise<Prepared>;
    write(slice: Slice<Prepared>): Promise<WriteOutcome>;
    /** The one record of a slice as a dead letter and nothing else. */
    reject(slice: Slice<Prepared>): Prepared;
  },
): Promise<WriteOutcome> {
  if (slice.records.length <= 1) return steps.write({ ...slice, prepared: steps.reject(slice) });
  return writeHalves(slice, steps);
}

/** Prepares and writes one half of a slice after the other. */
export async function writeHalves<Prepared>(
  slice: Slice<Prepared>,
  steps: {
    prepare(records: readonly KafkaRecord[]): Promise<Prepared>;
    write(slice: Slice<Prepared>): Promise<WriteOutcome>;
  },
): Promise<WriteOutcome> {
  const { records } = slice;
  const middle = (records[Math.ceil(records.length / 2)] as KafkaRecord).offset;
  const halves = [
    { records: records.filter(({ offset }) => offset < middle), fromOffset: slice.fromOffset, toOffset: middle },
    { records: records.filter(({ offset }) => offset >= middle), fromOffset: middle, toOffset: slice.toOffset },
  ];
  for (const half of halves) {
    const outcome = await steps.write({ ...slice, ...half, prepared: await steps.prepare(half.records) });
    if (outcome !== 'written') return outcome;
  }
  return 'written';
}

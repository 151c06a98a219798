import type { Slice } from './lane-runner.ts';
import type { ArrivedRecord } from './reader.ts';

type Written = 'written' | 'fenced' | 'abandoned';

/** The server refused a row and does not say which: halves, until one record stands alone and is set aside whole. */
export async function bisect<Prepared>(
  slice: Slice<Prepared>,
  parts: {
    prepare(records: readonly ArrivedRecord[]): Promise<Prepared>;
    write(slice: Slice<Prepared>): Promise<Written>;
    /** The one record of a slice as a dead letter and nothing else. */
    refuse(slice: Slice<Prepared>): Prepared;
  },
): Promise<Written> {
  const { records } = slice;
  if (records.length <= 1) return parts.write({ ...slice, prepared: parts.refuse(slice) });
  const middle = (records[Math.ceil(records.length / 2)] as ArrivedRecord).offset;
  const halves = [
    { records: records.filter(({ offset }) => offset < middle), fromOffset: slice.fromOffset, toOffset: middle },
    { records: records.filter(({ offset }) => offset >= middle), fromOffset: middle, toOffset: slice.toOffset },
  ];
  for (const half of halves) {
    const outcome = await parts.write({ ...slice, ...half, prepared: await parts.prepare(half.records) });
    if (outcome !== 'written') return outcome;
  }
  return 'written';
}

/** A transaction costs the server 3 ms beyond its rows: lane, statements, progress, commit. Of 580 rows, that was 5 µs each. */
const sliceRecords = 2_000;
const sliceBytes = 4 * 1_048_576;
/**
 * Records that values of a slice were decompressed to. 1.2 MB of a thousand small archives took 2.2 GB of memory. Above it a slice is written in halves:
 * only reading tells what a value of several archives, or with archives in it, contains.
 */
export const decompressedBytesMax = 4 * sliceBytes;
/**
 * Elements of a slice, which is written in halves above it; those of one record are written together. A page of ids has 10,000 in 100 kB, and a list of empty
 * objects 10,000 dead letters in 30 kB: 4 MiB of them were 1.4 million, which no transaction stored within the time of a statement.
 */
export const elementsMax = 20_000;

interface Sized {
  readonly value: Buffer | null;
}

/** Splits records into slices, each written by one transaction; one at least, which may be empty. */
export function splitByBytes<One extends Sized>(records: readonly One[]): One[][] {
  let current: One[] = [];
  const slices = [current];
  let bytes = 0;
  for (const record of records) {
    const size = estimateBytes(record.value);
    if (current.length > 0 && (current.length >= sliceRecords || bytes + size > sliceBytes)) {
      current = [];
      slices.push(current);
      bytes = 0;
    }
    current.push(record);
    bytes += size;
  }
  return slices;
}

/** A gzip archive ends with the length of its content, which is verified when it is read. A value expands to a record's length at most. */
function estimateBytes(value: Buffer | null): number {
  if (value === null) return 0;
  const isGzip = value.length >= gzipBytesMin && value[0] === 0x1f && value[1] === 0x8b;
  return isGzip ? Math.max(value.length, Math.min(value.readUInt32LE(value.length - 4), contentMax)) : value.length;
}

const gzipBytesMin = 18;
const contentMax = 1_048_576;

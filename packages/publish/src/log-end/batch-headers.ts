/** The header of a record batch. Its records are not read: they may be compressed, and decompressing them may be an attack. */
export interface BatchHeader {
  readonly firstOffset: bigint;
  readonly lastOffset: bigint;
  /** Epoch ms of the first record; with the broker's time, of the whole batch. Null: none. */
  readonly timestampMs: number | null;
  readonly isControl: boolean;
  readonly isTransactional: boolean;
  readonly producerId: bigint;
  readonly recordCount: number;
}

const headerBytes = 61;
const lengthPrefixBytes = 12;
const logAppendTime = 0x08;
const transactional = 0x10;
const control = 0x20;

/** Parses the headers of consecutive batches; the last batch may be truncated after its header. */
export function parseBatchHeaders(bytes: Buffer): BatchHeader[] {
  const headers: BatchHeader[] = [];
  for (let at = 0; at + headerBytes <= bytes.length; at += lengthPrefixBytes + bytes.readInt32BE(at + 8)) {
    const firstOffset = bytes.readBigInt64BE(at);
    // Formats before version 2 have no transactions; no broker that knows topic ids writes them.
    if (bytes.readInt8(at + 16) < 2) {
      const plain = { isControl: false, isTransactional: false, producerId: -1n, recordCount: 1 };
      headers.push({ firstOffset, lastOffset: firstOffset, timestampMs: null, ...plain });
      continue;
    }
    const attributes = bytes.readInt16BE(at + 21);
    const timestamp = Number(bytes.readBigInt64BE(at + (attributes & logAppendTime ? 35 : 27)));
    headers.push({
      firstOffset,
      lastOffset: firstOffset + BigInt(bytes.readInt32BE(at + 23)),
      timestampMs: timestamp < 0 ? null : timestamp,
      isControl: (attributes & control) !== 0,
      isTransactional: (attributes & transactional) !== 0,
      producerId: bytes.readBigInt64BE(at + 43),
      recordCount: bytes.readInt32BE(at + 57),
    });
  }
  return headers;
}

/** A transaction that was aborted: its records begin here and end at the marker of its producer. */
export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: bigint;
}

export interface UnreadRecord {
  readonly offset: bigint;
  readonly timestampMs: number | null;
}

/**
 * Finds the first record at or after `position`. Markers, aborted records and empty batches that compaction retains are none.
 *
 * @NOTE A compacted batch that begins before the position may or may not have a record after it. It counts as read: otherwise a lane behind
 * the last record of a compacted log would never count as up to date.
 */
export function findFirstRecord(
  headers: readonly BatchHeader[],
  aborted: readonly AbortedTransaction[],
  position: bigint,
): UnreadRecord | null {
  const pending = aborted.toSorted((one, other) => (one.firstOffset < other.firstOffset ? -1 : 1));
  const aborting = new Set<bigint>();
  for (const header of headers) {
    const { firstOffset, lastOffset, producerId, recordCount } = header;
    for (let next = pending[0]; next && next.firstOffset <= lastOffset; next = pending[0]) {
      aborting.add(next.producerId);
      pending.shift();
    }
    if (header.isControl) aborting.delete(producerId);
    const isAborted = header.isTransactional && aborting.has(producerId);
    if (header.isControl || isAborted || recordCount === 0 || lastOffset < position) continue;
    const isCompacted = BigInt(recordCount) <= lastOffset - firstOffset;
    if (firstOffset < position && isCompacted) continue;
    return { offset: firstOffset < position ? position : firstOffset, timestampMs: header.timestampMs };
  }
  return null;
}

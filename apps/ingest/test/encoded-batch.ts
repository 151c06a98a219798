import { createRequire } from 'node:module';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compressFrameSync } from 'lz4-napi';
import { compressSync } from 'snappy';
import { type CodecName, codecNames } from '../src/kafka/decompression.ts';

const require = createRequire(import.meta.url);
/** kafkajs's own writer of records. */
const writeRecord = require('kafkajs/src/protocol/recordBatch/record/v0') as (record: object) => { buffer: Buffer };

export interface TestRecord {
  readonly key?: Buffer | null;
  readonly value?: Buffer | null;
  readonly headers?: Record<string, string>;
}

/** The content of a batch before compression. */
export const encodeRecords = (records: readonly TestRecord[]): Buffer =>
  Buffer.concat(
    records.map(({ key = null, value = null, headers = {} }, offsetDelta) => {
      return writeRecord({ offsetDelta, timestampDelta: 0, key, value, headers }).buffer;
    }),
  );

const javaSnappyHeader = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]);

/** Blocks in the frame of Java producers. */
export const frameSnappy = (...blocks: readonly Buffer[]): Buffer =>
  Buffer.concat([
    javaSnappyHeader,
    ...blocks.flatMap((block) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(block.length);
      return [length, block];
    }),
  ]);

/** Every way in which a producer compresses. */
export const compressors: Readonly<Record<string, { codec: CodecName; compress(content: Buffer): Buffer }>> = {
  uncompressed: { codec: 'uncompressed', compress: (content) => content },
  gzip: { codec: 'gzip', compress: (content) => gzipSync(content) },
  'bare snappy': { codec: 'snappy', compress: (content) => compressSync(content) },
  'framed snappy': {
    codec: 'snappy',
    compress: (content) => frameSnappy(compressSync(content.subarray(0, 600)), compressSync(content.subarray(600))),
  },
  lz4: { codec: 'lz4', compress: (content) => compressFrameSync(content) },
  'lz4 with checksums': {
    codec: 'lz4',
    compress: (content) => compressFrameSync(content, { contentChecksum: true, blockChecksums: true }),
  },
  zstd: { codec: 'zstd', compress: (content) => zstdCompressSync(content) },
};

export interface TestBatch {
  readonly firstOffset?: bigint;
  readonly recordCount: number;
  readonly lastOffsetDelta?: number;
  readonly codecNumber: number;
  readonly attributes?: number;
  readonly producerId?: bigint;
  readonly content: Buffer;
}

/** A batch of record format 2 as a broker stores it, but for the checksum, which consumers of kafkajs do not verify. */
export function encodeBatch(batch: TestBatch): Buffer {
  const header = Buffer.alloc(61);
  header.writeBigInt64BE(batch.firstOffset ?? 0n, 0);
  header.writeInt32BE(49 + batch.content.length, 8);
  header.writeInt8(2, 16);
  header.writeInt16BE(batch.codecNumber | (batch.attributes ?? 0), 21);
  header.writeInt32BE(batch.lastOffsetDelta ?? batch.recordCount - 1, 23);
  header.writeBigInt64BE(1_795_000_000_000n, 27);
  header.writeBigInt64BE(1_795_000_000_000n, 35);
  header.writeBigInt64BE(batch.producerId ?? -1n, 43);
  header.writeInt32BE(batch.recordCount, 57);
  return Buffer.concat([header, batch.content]);
}

export function compressBatch(records: readonly TestRecord[], compressor: string, firstOffset = 0n): Buffer {
  const { codec, compress } = compressors[compressor] as (typeof compressors)[string];
  const codecNumber = codecNames.indexOf(codec);
  return encodeBatch({
    firstOffset,
    recordCount: records.length,
    codecNumber,
    content: compress(encodeRecords(records)),
  });
}

/** A message of format 0 or 1. */
export function encodeLegacyMessage(message: {
  readonly magic: 0 | 1;
  readonly offset: bigint;
  readonly codecNumber?: number;
  readonly value: Buffer;
}): Buffer {
  const { magic, offset, codecNumber = 0, value } = message;
  const head = Buffer.alloc(magic === 1 ? 26 : 18);
  const lengths = Buffer.alloc(8);
  head.writeBigInt64BE(offset, 0);
  head.writeInt32BE(head.length + lengths.length + value.length - 12, 8);
  head.writeInt8(magic, 16);
  head.writeInt8(codecNumber, 17);
  if (magic === 1) head.writeBigInt64BE(1_795_000_000_000n, 18);
  lengths.writeInt32BE(-1, 0);
  lengths.writeInt32BE(value.length, 4);
  return Buffer.concat([head, lengths, value]);
}

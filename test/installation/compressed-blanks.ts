import { createRequire } from 'node:module';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import kafkajs, { type CompressionTypes } from 'kafkajs';
import { compressFrameSync } from 'lz4-napi';
import { compressSync } from 'snappy';

const { CompressionCodecs } = kafkajs;
const require = createRequire(import.meta.url);
const writeRecord = require('kafkajs/src/protocol/recordBatch/record/v0') as (record: object) => { buffer: Buffer };

export interface BlankRecords {
  readonly codec: 'gzip' | 'snappy' | 'lz4' | 'zstd';
  readonly count: number;
  readonly bytesEach: number;
}

/** What a producer appends for it: kafkajs counts them, and the codec below replaces their content. */
export const placeholders = ({ count }: BlankRecords) =>
  Array.from({ length: count }, () => ({ key: 'poison', value: null }));

/** Until it is disposed, kafkajs writes the blanks for batches of this compression, for all clients of the process. */
export interface BlankCodec extends Disposable {
  readonly compression: CompressionTypes;
}

/**
 * Makes kafkajs write batches whose content is records of blanks, compressed as much as each format can. The content is never whole in memory
 * where the codec is a stream: kafkajs's own encoder took a minute and a gigabyte for 640 MiB.
 */
export async function writeBlanks({ codec, count, bytesEach }: BlankRecords): Promise<BlankCodec> {
  const { compression, compress } = compressors[codec];
  const content = await compress(() => encodeBlanks(count, bytesEach));
  const codecs = CompressionCodecs as Record<number, unknown>;
  const original = codecs[compression];
  codecs[compression] = () => ({
    compress: async () => content,
    decompress: () => Promise.reject(new Error('this test only writes')),
  });
  return {
    compression,
    [Symbol.dispose]() {
      codecs[compression] = original;
    },
  };
}

const chunk = Buffer.alloc(1_048_576, ' ');

/** Records as the log has them, in pieces. */
function* encodeBlanks(count: number, bytesEach: number): Generator<Buffer> {
  const headers = { ce_source: '/collectors/broken' };
  for (let offsetDelta = 0; offsetDelta < count; offsetDelta++) {
    // Written with an empty value of the same length of length: its size, then the blanks, are put between.
    const [head, tail] = splitRecord(offsetDelta, bytesEach, headers);
    yield head;
    for (let left = bytesEach; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length));
    yield tail;
  }
}

/** What stands before and after the value of a record. */
function splitRecord(offsetDelta: number, valueBytes: number, headers: Record<string, string>): [Buffer, Buffer] {
  const empty = writeRecord({
    offsetDelta,
    timestampDelta: 0,
    key: Buffer.from('poison'),
    value: null,
    headers,
  }).buffer;
  // length, attributes, timestamp delta, offset delta (one byte each below 64), key length, key, value length -1, headers
  const keyEnd = 5 + 'poison'.length;
  const body = Buffer.concat([empty.subarray(1, keyEnd), encodeVarint(valueBytes)]);
  const tail = empty.subarray(keyEnd + 1);
  return [Buffer.concat([encodeVarint(body.length + valueBytes + tail.length), body]), tail];
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value * 2; ; left = Math.floor(left / 128)) {
    bytes.push(left < 128 ? left : (left % 128) + 128);
    if (left < 128) return Buffer.from(bytes);
  }
}

interface Compressor {
  readonly compression: CompressionTypes;
  compress(content: () => Iterable<Buffer>): Promise<Buffer>;
}

const compressors: Readonly<Record<BlankRecords['codec'], Compressor>> = {
  gzip: { compression: 1, compress: (content) => compressStream(content(), createGzip({ level: 9 })) },
  snappy: { compression: 2, compress: async (content) => compressSync(Buffer.concat([...content()])) },
  lz4: { compression: 3, compress: async (content) => compressFrameSync(Buffer.concat([...content()])) },
  zstd: {
    compression: 4,
    // The window of a Java producer.
    compress: (content) =>
      compressStream(content(), createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 21 } })),
  },
};

async function compressStream(content: Iterable<Buffer>, codec: NodeJS.ReadWriteStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await pipeline(content, codec, async (compressed) => {
    for await (const piece of compressed) chunks.push(piece as Buffer);
  });
  return Buffer.concat(chunks);
}

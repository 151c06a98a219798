import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { compressFrame, decompressFrame } from 'lz4-napi';
import { compress, uncompress } from 'snappy';
import { kafkajs } from './kafkajs-patched.ts';

const framedSnappy = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const frameHeaderBytes = 16;

/** gzip is built into kafkajs; producers use the other three as well. A codec that is not registered would stop a partition for ever. */
export function registerCodecs(): void {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: (encoder: { buffer: Buffer }) => promisify(zstdCompress)(encoder.buffer),
    decompress: (bytes: Buffer) => promisify(zstdDecompress)(bytes),
  });
  CompressionCodecs[CompressionTypes.Snappy] = () => ({
    compress: (encoder: { buffer: Buffer }) => compress(encoder.buffer),
    decompress: unframeSnappy,
  });
  CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: (encoder: { buffer: Buffer }) => compressFrame(encoder.buffer),
    decompress: (bytes: Buffer) => decompressFrame(bytes),
  });
}

/** Java producers wrap snappy blocks in a frame: a magic, two versions, then blocks with their lengths. librdkafka sends one bare block. */
export async function unframeSnappy(bytes: Buffer): Promise<Buffer> {
  if (!bytes.subarray(0, framedSnappy.length).equals(framedSnappy)) return Buffer.from(await uncompress(bytes));
  const blocks: Buffer[] = [];
  for (let at = frameHeaderBytes; at + 4 <= bytes.length; ) {
    const length = bytes.readInt32BE(at);
    blocks.push(Buffer.from(await uncompress(bytes.subarray(at + 4, at + 4 + length))));
    at += 4 + length;
  }
  return Buffer.concat(blocks);
}

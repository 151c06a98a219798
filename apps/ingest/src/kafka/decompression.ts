import { constants, createGunzip, createZstdDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { decompressFrame } from 'lz4-napi';
import { uncompress } from 'snappy';
import { BatchError, ContentTooLarge } from './batch-error.ts';
import { measureLz4Frame } from './lz4-frame.ts';

/** The names of Kafka's codecs by their number in the attributes of a batch; other numbers do not exist. */
export const codecNames = ['uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type CodecName = (typeof codecNames)[number];

/**
 * Decompresses the content of a batch, at most `maxBytes` of it: the bound holds while memory is allocated, whatever sizes headers claim.
 * Throws BatchError when there is more, or when the content is truncated or corrupt.
 */
export async function decompress(codec: CodecName, bytes: Buffer, maxBytes: number): Promise<Buffer> {
  if (codec === 'uncompressed') return bytes;
  try {
    return await decompressors[codec](bytes, maxBytes);
  } catch (error) {
    if (error instanceof BatchError) throw error;
    const isTooLarge = error instanceof ContentTooLarge || (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge) throw new BatchError(`its ${codec} content is larger than ${maxBytes} bytes`);
    throw new BatchError(`its ${codec} content is corrupt`, { cause: error });
  }
}

/**
 * Each call of a library costs as much for an empty frame as for a full one: 40 µs of processor time in snappy and lz4, 310 µs in zstd, so that
 * 100 kB of empty zstd frames took 3 s. Producers write one frame, and blocks of snappy of 32 KiB; 1 KiB is the least that its library writes.
 */
const framesMax = 1_000;
const snappyBlocksMax = (maxBytes: number): number => Math.max(framesMax, Math.ceil(maxBytes / 1_024));

function requireFewParts(codec: CodecName, parts: readonly Buffer[], max: number): void {
  if (parts.length > max) throw new BatchError(`its ${codec} content is in more than ${max} parts`);
}

const decompressors: Record<
  Exclude<CodecName, 'uncompressed'>,
  (bytes: Buffer, maxBytes: number) => Promise<Buffer>
> = {
  gzip: (bytes, maxOutputLength) =>
    new Promise((resolve, reject) => {
      gunzip(bytes, { maxOutputLength, chunkSize: outputPieceBytes(bytes) }, (error, content) =>
        error ? reject(error) : resolve(content),
      );
    }),
  zstd: decompressZstd,
  snappy: decompressSnappy,
  lz4: decompressLz4,
};

/**
 * Output bytes after which the result returns to the event loop and waits for a thread again. With 16 KiB, the default, a batch of 20 kB that
 * expands to the bound of 32 MiB costs 51 to 130 ms of processor time and 2,048 waits, with this 7 to 18 ms and 205 waits.
 */
function outputPieceBytes({ length }: Buffer): number {
  return Math.min(Math.max(length * 8, constants.Z_DEFAULT_CHUNK), 1_048_576);
}

/** All frames: node:zlib ends after the first. A frame's window may be 128 MiB of address space; pages are used as content is written. */
async function decompressZstd(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const frames: Buffer[] = [];
  let total = 0;
  for (let at = 0; at === 0 || at < bytes.length; ) {
    // A bound of 0 is refused by node:zlib, although a frame may be empty.
    const frame = await decompressZstdFrame(bytes.subarray(at), Math.max(1, maxBytes - total));
    frames.push(frame.content);
    requireFewParts('zstd', frames, framesMax);
    total += frame.content.length;
    at += frame.consumed;
    if (frame.consumed === 0) throw new BatchError('its zstd content is corrupt');
    if (total > maxBytes) throw new ContentTooLarge();
  }
  return concatenate(frames);
}

function decompressZstdFrame(bytes: Buffer, maxOutputLength: number): Promise<{ content: Buffer; consumed: number }> {
  return new Promise((resolve, reject) => {
    // With `info` the result also has the engine, which knows how much it consumed; the types do not know the option.
    const options = { maxOutputLength, chunkSize: outputPieceBytes(bytes), info: true };
    zstdDecompress(bytes, options, (error, result) => {
      if (error) return reject(error);
      const { buffer, engine } = result as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
      resolve({ content: buffer, consumed: engine.bytesWritten });
    });
  });
}

const framedSnappy = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const frameHeaderBytes = 16;

const isFramedSnappy = (bytes: Buffer): boolean => bytes.subarray(0, framedSnappy.length).equals(framedSnappy);

/** Java producers wrap snappy blocks in a frame: a magic, two versions, then blocks with their lengths. librdkafka sends one bare block. */
async function decompressSnappy(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  if (!isFramedSnappy(bytes)) return decompressSnappyBlock(bytes, maxBytes);
  const blocks: Buffer[] = [];
  let total = 0;
  for (let at = frameHeaderBytes; at < bytes.length; ) {
    const length = at + 4 <= bytes.length ? bytes.readInt32BE(at) : -1;
    // A length that is not positive would read the same bytes for ever.
    if (length <= 0 || at + 4 + length > bytes.length) throw new BatchError('its snappy content is corrupt');
    const block = await decompressSnappyBlock(bytes.subarray(at + 4, at + 4 + length), maxBytes - total);
    blocks.push(block);
    requireFewParts('snappy', blocks, snappyBlocksMax(maxBytes));
    total += block.length;
    at += 4 + length;
  }
  return concatenate(blocks);
}

/** The library allocates what the block's first number claims, so this is checked before; that it is true is checked by the library. */
async function decompressSnappyBlock(block: Buffer, maxBytes: number): Promise<Buffer> {
  let claimed = 0;
  for (let index = 0; index < 5; index++) {
    const byte = block[index] ?? 0;
    claimed += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) break;
  }
  if (claimed > maxBytes) throw new ContentTooLarge();
  return Buffer.from(await uncompress(block));
}

async function decompressLz4(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const frames: Buffer[] = [];
  let total = 0;
  for (let at = 0; at === 0 || at < bytes.length; ) {
    const { end, contentBytes } = measureLz4Frame(bytes, at, maxBytes - total);
    const content = await decompressFrame(bytes.subarray(at, end));
    if (content.length !== contentBytes) throw new BatchError('its lz4 content is corrupt');
    frames.push(content);
    requireFewParts('lz4', frames, framesMax);
    total += contentBytes;
    at = end;
  }
  return concatenate(frames);
}

const concatenate = (parts: readonly Buffer[]): Buffer =>
  parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);

/**
 * The beginning of the content, at most about `maxBytes`, for a description of a batch that cannot be decoded. Null where the codec has no
 * beginning without the whole (lz4 here, snappy without a frame) or where nothing can be read.
 */
export async function decompressBeginning(codec: CodecName, bytes: Buffer, maxBytes: number): Promise<Buffer | null> {
  if (codec === 'uncompressed') return bytes.subarray(0, maxBytes);
  if (codec === 'snappy' && isFramedSnappy(bytes) && bytes.length >= frameHeaderBytes + 4) {
    const length = Math.max(0, bytes.readInt32BE(frameHeaderBytes));
    const block = bytes.subarray(frameHeaderBytes + 4, frameHeaderBytes + 4 + length);
    return decompressSnappyBlock(block, maxBytes).catch(() => null);
  }
  if (codec !== 'gzip' && codec !== 'zstd') return null;
  const stream = codec === 'gzip' ? createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }) : createZstdDecompress();
  const chunks: Buffer[] = [];
  let total = 0;
  stream.end(bytes);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      total += chunk.length;
      if (total >= maxBytes) break;
    }
  } catch {
    // What was read before the corrupt part is still of use.
  }
  return total === 0 ? null : Buffer.concat(chunks);
}

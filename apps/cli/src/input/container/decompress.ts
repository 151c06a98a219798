import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createGunzip, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { CommandError } from '../../command-error.ts';

export type Codec = 'gzip' | 'zstd' | 'deflate';

/**
 * Logs compress to a tenth, and files of one repeated record to a hundredth; deflate reaches a thousandth. A stream beyond both bounds is refused: its
 * records would fill the topic.
 */
const expansionMax = 300;
const unboundedBytes = 256 * 1_048_576;

const decoders: Record<Codec, () => Transform & { readonly bytesWritten: number }> = {
  gzip: () => createGunzip({ chunkSize: 262_144 }),
  deflate: () => createInflateRaw({ chunkSize: 262_144 }),
  // A window of 128 MiB, as the zstd command accepts by default: more memory is refused.
  zstd: () => createZstdDecompress({ chunkSize: 262_144, params: { [constants.ZSTD_d_windowLogMax]: 27 } }),
};

/** The codec of a stream by its first bytes; null if it is not compressed. */
export function detectCodec(head: Buffer): 'gzip' | 'zstd' | 'zip' | null {
  if (head.length >= 2 && head.readUInt16BE(0) === 0x1f8b) return 'gzip';
  if (head.length < 4) return null;
  const magic = head.readUInt32BE(0);
  if (magic === 0x28b52ffd) return 'zstd';
  return magic === 0x504b0304 || magic === 0x504b0506 ? 'zip' : null;
}

/** Decompresses a stream; memory is bounded by the codec's window. Throws CommandError for damaged data and for a stream that expands too much. */
export async function* decompress(
  name: string,
  codec: Codec,
  chunks: AsyncIterable<Buffer>,
  expandedBytes = unboundedBytes,
): AsyncGenerator<Buffer> {
  let compressed = 0;
  let expanded = 0;
  let failure: unknown = null;
  async function* counted() {
    try {
      for await (const chunk of chunks) {
        compressed += chunk.length;
        yield chunk;
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  const decoder = decoders[codec]();
  pipeline(Readable.from(counted(), { objectMode: false }), decoder, () => {});
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      expanded += chunk.length;
      if (expanded > expandedBytes && expanded > compressed * expansionMax)
        throw new CommandError(`${name} expands more than ${expansionMax} times; decompress it yourself to import it`);
      yield chunk;
    }
  } catch (error) {
    if (failure !== null) throw failure;
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${name} is damaged or truncated: ${(error as Error).message}`);
  }
  // Node.js ends silently behind the first frame of zstd, unless the next one begins with a chunk.
  if (decoder.bytesWritten < compressed)
    throw new CommandError(`${name} has several zstd frames; import it with "zstdcat FILE | tenantscope import … -"`);
}

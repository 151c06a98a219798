import { constants, createDeflateRaw, createInflateRaw, type DeflateRaw, type InflateRaw } from 'node:zlib';
import { createSequence, type Sequence } from '@tenantscope/runtime';

/** Node.js compresses in threads. */
const streamsOfEach = 2;
/** More than a piece ever has: a stream that has to be read before it goes on would wait for us. */
const readableHighWaterMark = 2 ** 26;
/** Memory is allocated for several pieces at once. A piece that does not fit into what is left waits for a thread again. */
const chunkBytes = { piece: 2 ** 17, text: 2 ** 20 };

/**
 * Compresses texts into pieces that refer to nothing before them, and decompresses such pieces. Streams are used again: new ones for each piece take
 * 270 and 50 kB, and collecting that as garbage took as long as compressing.
 */
export class PieceCodec implements Disposable {
  private readonly deflating: Streams<DeflateRaw>;
  private readonly inflating: Streams<InflateRaw>;

  /** @param level of compression */
  constructor(level: number) {
    this.deflating = new Streams(() =>
      createDeflateRaw({
        level,
        flush: constants.Z_FULL_FLUSH,
        chunkSize: chunkBytes.piece,
        readableHighWaterMark,
      } as object),
    );
    this.inflating = new Streams(() =>
      createInflateRaw({
        flush: constants.Z_SYNC_FLUSH,
        chunkSize: chunkBytes.text,
        readableHighWaterMark,
      } as object),
    );
  }

  compress(text: Buffer): Promise<Buffer> {
    return this.deflating.run((stream) => transform(stream, text));
  }

  decompress(piece: Buffer): Promise<Buffer> {
    return this.inflating.run((stream) => {
      stream.reset();
      return transform(stream, piece);
    });
  }

  [Symbol.dispose](): void {
    this.deflating[Symbol.dispose]();
    this.inflating[Symbol.dispose]();
  }
}

/** Several streams, each of which does one thing after the other. They are opened when they are used. */
class Streams<Stream extends DeflateRaw | InflateRaw> implements Disposable {
  private readonly open: () => Stream;
  private readonly streams: Stream[] = [];
  private readonly sequences: readonly Sequence[] = Array.from({ length: streamsOfEach }, createSequence);
  private next = 0;

  constructor(open: () => Stream) {
    this.open = open;
  }

  run(work: (stream: Stream) => Promise<Buffer>): Promise<Buffer> {
    const index = this.next++ % streamsOfEach;
    this.streams[index] ??= this.open();
    const stream = this.streams[index];
    return (this.sequences[index] as Sequence)(() => work(stream));
  }

  [Symbol.dispose](): void {
    for (const stream of this.streams) stream.destroy();
  }
}

const transform = (stream: DeflateRaw | InflateRaw, bytes: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.write(bytes, (error) => {
      stream.off('error', reject);
      if (error) reject(error);
      else resolve((stream.read() as Buffer | null) ?? Buffer.alloc(0));
    });
  });

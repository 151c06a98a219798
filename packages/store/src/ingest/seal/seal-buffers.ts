import type pg from 'pg';
import { CopyOut } from '../../connection/copy.ts';
import { PieceCodec } from '../../resource/piece-codec.ts';
import { sealedLevel } from '../../resource/sealed-documents.ts';

/** Bytes that are written again from the beginning each time. */
class ReusedBytes {
  private bytes: Buffer = Buffer.alloc(0);

  /** At least so many bytes; those before `usedEnd` are as they were. */
  reserve(size: number, usedEnd = 0): Buffer {
    if (this.bytes.length < size) {
      const larger = Buffer.allocUnsafeSlow(Math.ceil(size * 1.25));
      this.bytes.copy(larger, 0, 0, usedEnd);
      this.bytes = larger;
    }
    return this.bytes;
  }

  /** What a COPY sends, until the next one. */
  async copyOut(client: pg.PoolClient, statement: string): Promise<Buffer> {
    let end = 0;
    const copy = new CopyOut(statement, (bytes, from, to) => {
      end += bytes.copy(this.reserve(end + to - from, end), end, from, to);
    });
    client.query(copy);
    await copy.done;
    return this.bytes.subarray(0, end);
  }
}

/**
 * What a sealer needs for a batch of blocks. New memory for each batch, 16 kB a row, has the engine collect garbage every 1,500 rows, which took more of
 * its time than compressing.
 */
export class SealBuffers {
  readonly rows: ReusedBytes = new ReusedBytes();
  readonly texts: ReusedBytes = new ReusedBytes();
  readonly keysAndArrays: ReusedBytes = new ReusedBytes();
  readonly stored: ReusedBytes = new ReusedBytes();
  readonly codec: PieceCodec = new PieceCodec(sealedLevel);
}

const idle: SealBuffers[] = [];

/** After a failure buffers may still be read, and are not used again. */
export async function withSealBuffers<Value>(work: (buffers: SealBuffers) => Promise<Value>): Promise<Value> {
  const buffers = idle.pop() ?? new SealBuffers();
  const value = await work(buffers);
  idle.push(buffers);
  return value;
}

import type { Connection } from 'pg';
import { type DataRow, divert, headBytes, type Take, type Wire, WireQuery } from './wire-query.ts';

const copyData = 0x64;

/**
 * `COPY … FROM STDIN`: sends the statement and the chunks at once, as they are. A server that rejects the statement ignores the data behind it, so
 * nothing has to wait for its CopyInResponse. A message of a few records is four of these in one transaction, each a round trip shorter.
 */
export class CopyIn extends WireQuery {
  private readonly text: string;
  private readonly chunks: readonly Buffer[];

  constructor(text: string, chunks: readonly Buffer[]) {
    super();
    this.text = text;
    this.chunks = chunks;
  }

  submit(connection: Connection): void {
    const { stream } = connection as Wire;
    stream.cork();
    (connection as Wire).query(this.text);
    for (const chunk of this.chunks) {
      // pg's own way would copy the chunk to put these five bytes in front of it.
      const head = Buffer.allocUnsafe(headBytes);
      head[0] = copyData;
      head.writeInt32BE(chunk.length + 4, 1);
      stream.write(head);
      stream.write(chunk);
    }
    (connection as Wire).endCopyFrom();
    stream.uncork();
  }

  handleCopyInResponse(): void {}
}

/** `COPY … TO STDOUT`: each piece is passed on as the socket read it. */
export class CopyOut extends WireQuery {
  /** The first row of the statement before COPY in the same message, as texts. */
  precedingRow: readonly (string | null)[] | null = null;
  private readonly text: string;
  private readonly take: Take;
  private restore = () => {};

  constructor(text: string, take: Take) {
    super();
    this.text = text;
    this.take = take;
  }

  submit(connection: Connection): void {
    this.restore = divert((connection as Wire).stream, { code: copyData, afterCommands: 0 }, this.take);
    (connection as Wire).query(this.text);
  }

  override handleDataRow({ fields }: DataRow): void {
    this.precedingRow ??= fields;
  }

  override handleReadyForQuery(): void {
    this.restore();
    super.handleReadyForQuery();
  }

  handleCopyOutResponse(): void {}
}

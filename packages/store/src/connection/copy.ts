import type { Duplex } from 'node:stream';
import type { Connection, Submittable } from 'pg';

// pg passes its protocol messages to the submitted object. These two implement COPY only: bytes go in and come out unchanged, without an
// object per row (see the ratios in bench).

interface Wire extends Connection {
  readonly stream: Duplex;
  query(text: string): void;
  endCopyFrom(): void;
}

abstract class Copy implements Submittable {
  readonly done: Promise<void>;
  /** Set by pg; clears the timer of the query's time limit, which would otherwise hold these bytes until it fires. */
  callback: ((error?: Error) => void) | undefined;
  private resolve!: () => void;
  private reject!: (error: Error) => void;
  private failure: Error | undefined;
  protected readonly text: string;

  constructor(text: string) {
    this.text = text;
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  submit(connection: Connection): void {
    (connection as Wire).query(this.text);
  }

  handleError(error: Error): void {
    // On a lost connection no ReadyForQuery follows; settling twice is harmless.
    this.failure = error;
    this.callback?.(error);
    this.reject(error);
  }

  handleReadyForQuery(): void {
    this.callback?.();
    if (!this.failure) this.resolve();
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(_message: DataRow): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

/** As pg passes it on: the texts of a row's columns. */
interface DataRow {
  readonly fields: readonly (string | null)[];
}

const copyData = 0x64;
const headBytes = 5;

/**
 * `COPY … FROM STDIN`: sends the statement and the chunks at once, as they are. A server that rejects the statement ignores the data behind it, so
 * nothing has to wait for its CopyInResponse. A message of a few records is four of these in one transaction, each a round trip shorter.
 */
export class CopyIn extends Copy {
  private readonly chunks: readonly Buffer[];

  constructor(text: string, chunks: readonly Buffer[]) {
    super(text);
    this.chunks = chunks;
  }

  override submit(connection: Connection): void {
    const { stream } = connection as Wire;
    stream.cork();
    super.submit(connection);
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

/** Receives what COPY sends, in arbitrary pieces. Sockets allocate memory for each read: the bytes stay as they are. */
export type Take = (bytes: Buffer, from: number, to: number) => void;

/** `COPY … TO STDOUT`: each piece is passed on as the socket read it. */
export class CopyOut extends Copy {
  /** The first row of the statement before COPY in the same message, as texts. */
  precedingRow: readonly (string | null)[] | null = null;
  private readonly take: Take;
  private restore = () => {};

  constructor(text: string, take: Take) {
    super(text);
    this.take = take;
  }

  override submit(connection: Connection): void {
    this.restore = divert((connection as Wire).stream, this.take);
    super.submit(connection);
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

/**
 * Reads the server's messages in front of pg: what COPY sends goes to `take`, everything else on to pg, until restored. pg makes three
 * objects of every row, which cost a page of 1,000 rows more than all else it needs.
 */
function divert(stream: Duplex, take: Take): () => void {
  const listeners = stream.listeners('data') as ((bytes: Buffer) => void)[];
  const passOn = (bytes: Buffer) => {
    for (const listener of listeners) listener.call(stream, bytes);
  };
  let left = 0;
  let isRow = false;
  let partialHead: Buffer = Buffer.alloc(0);

  const read = (chunk: Buffer) => {
    const bytes = partialHead.length > 0 ? Buffer.concat([partialHead, chunk]) : chunk;
    partialHead = Buffer.alloc(0);
    let at = 0;
    while (at < bytes.length) {
      if (left === 0) {
        if (bytes.length - at < headBytes) {
          partialHead = Buffer.from(bytes.subarray(at));
          return;
        }
        isRow = bytes[at] === copyData;
        left = bytes.readInt32BE(at + 1) - 4;
        if (!isRow) left += headBytes;
        else at += headBytes;
      }
      const end = Math.min(bytes.length, at + left);
      left -= end - at;
      if (isRow) take(bytes, at, end);
      else passOn(bytes.subarray(at, end));
      at = end;
    }
  };
  stream.removeAllListeners('data');
  stream.on('data', read);
  return () => {
    stream.removeListener('data', read);
    for (const listener of listeners) stream.on('data', listener);
  };
}

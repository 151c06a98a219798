import type { Duplex } from 'node:stream';
import type { Connection, Submittable } from 'pg';

// pg passes its protocol messages to the submitted object. These classes let bytes through unchanged, without an object per row (see the ratios in bench).

export interface Wire extends Connection {
  endCopyFrom(): void;
}

export abstract class WireQuery implements Submittable {
  readonly done: Promise<void>;
  /** Set by pg; clears the timer of the query's time limit, which would otherwise hold these bytes until it fires. */
  callback: ((error?: Error) => void) | undefined;
  private resolve!: () => void;
  private reject!: (error: Error) => void;
  private failure: Error | undefined;

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  abstract submit(connection: Connection): void;

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
export interface DataRow {
  readonly fields: readonly (string | null)[];
}

export const headBytes = 5;
const commandComplete = 0x43;

/** Receives bytes of the server in arbitrary pieces. Sockets allocate memory for each read: the bytes stay as they are. */
export type Take = (bytes: Buffer, from: number, to: number) => void;

/** Messages whose bodies are taken: those with this code, after so many commands have been completed. */
export interface Diverted {
  readonly code: number;
  readonly afterCommands: number;
}

/**
 * Reads the server's messages in front of pg: the bodies of some go to `take`, everything else on to pg, until restored. pg makes three
 * objects of every row, which cost a page of 1,000 rows more than all else it needs.
 */
export function divert(stream: Duplex, { code, afterCommands }: Diverted, take: Take): () => void {
  const listeners = stream.listeners('data') as ((bytes: Buffer) => void)[];
  const passOn = (bytes: Buffer) => {
    for (const listener of listeners) listener.call(stream, bytes);
  };
  let left = 0;
  let commands = 0;
  let isTaken = false;
  let isRestored = false;
  let partialHead: Buffer = Buffer.alloc(0);

  const read = (chunk: Buffer) => {
    const bytes = partialHead.length > 0 ? Buffer.concat([partialHead, chunk]) : chunk;
    partialHead = Buffer.alloc(0);
    let at = 0;
    while (at < bytes.length) {
      if (isRestored) {
        passOn(bytes.subarray(at));
        return;
      }
      if (left === 0) {
        if (bytes.length - at < headBytes) {
          partialHead = Buffer.from(bytes.subarray(at));
          return;
        }
        isTaken = bytes[at] === code && commands >= afterCommands;
        if (bytes[at] === commandComplete) commands += 1;
        left = bytes.readInt32BE(at + 1) - 4;
        if (!isTaken) left += headBytes;
        else at += headBytes;
      }
      const end = Math.min(bytes.length, at + left);
      left -= end - at;
      if (isTaken) take(bytes, at, end);
      else passOn(bytes.subarray(at, end));
      at = end;
    }
  };
  stream.removeAllListeners('data');
  stream.on('data', read);
  return () => {
    isRestored = true;
    stream.removeListener('data', read);
    for (const listener of listeners) stream.on('data', listener);
  };
}

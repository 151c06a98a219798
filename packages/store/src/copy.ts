import type { Connection, Submittable } from 'pg';

// pg hands its protocol messages to whatever object was submitted. These two speak COPY and nothing else:
// bytes go in and come out as they are, without an object per row (see the ratios in bench).

interface Wire extends Connection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

abstract class Copy<Value> implements Submittable {
  readonly done: Promise<Value>;
  /** pg puts its own here, which ends the timer of the query's time limit: else it would hold these bytes until it fires. */
  callback: ((error?: Error) => void) | undefined;
  protected resolve!: (value: Value) => void;
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
    if (!this.failure) this.resolve(this.value());
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}

  protected abstract value(): Value;
}

/** `COPY … FROM STDIN`: sends the chunks as they are. */
export class CopyIn extends Copy<void> {
  private readonly chunks: readonly Buffer[];

  constructor(text: string, chunks: readonly Buffer[]) {
    super(text);
    this.chunks = chunks;
  }

  handleCopyInResponse(connection: Connection): void {
    for (const chunk of this.chunks) (connection as Wire).sendCopyFromChunk(chunk);
    (connection as Wire).endCopyFrom();
  }

  protected value(): void {}
}

/** `COPY … TO STDOUT`: each chunk is handed over synchronously, since pg uses its buffer again afterwards. */
export class CopyOut extends Copy<void> {
  private readonly take: (chunk: Buffer) => void;

  constructor(text: string, take: (chunk: Buffer) => void) {
    super(text);
    this.take = take;
  }

  handleCopyOutResponse(): void {}

  handleCopyData(message: { chunk: Buffer }): void {
    this.take(message.chunk);
  }

  protected value(): void {}
}

import type { Readable, Writable } from 'node:stream';
import type { Environment } from './connections/environment.ts';

/** The environment of a command. */
export interface CommandContext {
  readonly environment: Environment;
  readonly input: Readable;
  /** For results that do not end, or are too large for a document. */
  readonly out: Writable;
  /** Where progress is shown, if it is a terminal. */
  readonly terminal: NodeJS.WriteStream;
}

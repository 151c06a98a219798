import type { Readable } from 'node:stream';
import type { Environment } from './connections/environment.ts';

/** The environment of a command. */
export interface CommandContext {
  readonly environment: Environment;
  readonly input: Readable;
  /** Where progress is shown, if it is a terminal. */
  readonly terminal: NodeJS.WriteStream;
}

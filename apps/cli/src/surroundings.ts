import type { Readable } from 'node:stream';
import type { Environment } from './environment.ts';

/** What a command may use of the world around it. */
export interface Surroundings {
  readonly environment: Environment;
  readonly input: Readable;
  /** Where progress is drawn, if somebody looks. */
  readonly terminal: NodeJS.WriteStream;
}

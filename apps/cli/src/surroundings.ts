import type { Environment } from './environment.ts';

/** What a command may use of the world around it. */
export interface Surroundings {
  readonly environment: Environment;
  readonly input: AsyncIterable<Buffer>;
  /** Where progress is drawn, if somebody looks. */
  readonly terminal: NodeJS.WriteStream;
}

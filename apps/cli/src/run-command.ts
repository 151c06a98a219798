import type { Readable, Writable } from 'node:stream';
import { CommanderError } from 'commander';
import { describeError } from './command-error.ts';
import type { Environment } from './connections/environment.ts';
import { writeMessage, writeResult } from './output/command-result.ts';
import { declareProgram } from './program.ts';

/** Where a command reads and writes. */
export interface CommandStreams {
  readonly input: Readable;
  readonly out: Writable;
  readonly err: Writable;
  /** Where progress is shown, if it is a terminal. */
  readonly terminal: NodeJS.WriteStream;
}

/**
 * Runs one command line, without the name of the program. Returns the exit status: 0 success, 1 failure, 2 usage error, 3 no signature was
 * verified. The environment is read only by a command that is complete.
 */
export async function runCommand(
  args: readonly string[],
  readEnvironment: () => Environment,
  { input, out, err, terminal }: CommandStreams,
): Promise<number> {
  let status = 0;
  const program = declareProgram(
    async (action, { json = false }) => {
      const result = await action({ environment: readEnvironment(), input, out, terminal });
      status = writeResult(result, { json, out, err });
    },
    { out, err },
  );
  try {
    await program.parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    // Commander has already reported the usage error; help and version end here too, with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { message, status: failed } = describeError(error);
    writeMessage(message, err);
    return failed;
  }
}

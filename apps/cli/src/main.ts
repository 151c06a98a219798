import { CommanderError } from 'commander';
import { describeError } from './command-error.ts';
import { readEnvironment } from './connections/environment.ts';
import { writeResult } from './output/command-result.ts';
import { declareProgram } from './program.ts';

/** Runs one command line and exits: 0 success, 1 failure, 2 usage error, 3 no signature was verified. */
export async function main(argv: readonly string[]): Promise<never> {
  // `tenantscope … | head` closes the pipe early; that is not an error.
  process.stdout.on('error', () => process.exit(0));
  const status = await run(argv);
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  // Exits explicitly: a driver may still retry a connection whose result is no longer needed.
  process.exit(status);
}

async function run(argv: readonly string[]): Promise<number> {
  let status = 0;
  const program = declareProgram(async (action, { json = false }) => {
    const environment = readEnvironment(process.cwd(), process.env);
    const result = await action({ environment, input: process.stdin, terminal: process.stderr });
    status = writeResult(result, { json, out: process.stdout, err: process.stderr });
  });
  try {
    await program.parseAsync([...argv]);
    return status;
  } catch (error) {
    // Commander has already reported the usage error; help and version end here too, with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { message, status: failed } = describeError(error);
    process.stderr.write(`tenantscope: ${message}\n`);
    return failed;
  }
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

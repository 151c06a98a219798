import { CommanderError } from 'commander';
import { print } from './answer.ts';
import { readEnvironment } from './environment.ts';
import { explain } from './failure.ts';
import { declareProgram } from './program.ts';

/** Runs one command line and ends the process: 0 done, 1 failed, 2 not understood. */
export async function main(argv: readonly string[]): Promise<never> {
  // «tenantscope … | head» closes the pipe early, and that is no failure to tell.
  process.stdout.on('error', () => process.exit(0));
  const status = await statusOf(argv);
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  // A connection that gave no answer may still be tried again by its driver; nobody waits for that.
  process.exit(status);
}

async function statusOf(argv: readonly string[]): Promise<number> {
  let status = 0;
  const program = declareProgram(async (work, { json = false }) => {
    const environment = readEnvironment(process.cwd(), process.env);
    const answer = await work({ environment, input: process.stdin, terminal: process.stderr });
    status = print(answer, { json, out: process.stdout, err: process.stderr });
  });
  try {
    await program.parseAsync([...argv]);
    return status;
  } catch (error) {
    // Commander has already said what it did not understand; help and version end here too, with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const explained = explain(error);
    process.stderr.write(`tenantscope: ${explained.message}\n`);
    return explained.status;
  }
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

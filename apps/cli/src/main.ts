import { readEnvironment } from './connections/environment.ts';
import { runCommand } from './run-command.ts';

/** Runs the command line of this process and exits with its status. */
export async function main(argv: readonly string[]): Promise<never> {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // `tenantscope … | head` closes the pipe early; that is not an error.
    if (code === 'EPIPE') process.exit(0);
    process.stderr.write(`tenantscope: the output cannot be written: ${message}\n`);
    process.exit(1);
  });
  // A closed standard error loses messages, and neither ends an import nor changes the exit status.
  process.stderr.on('error', () => {});
  const streams = { input: process.stdin, out: process.stdout, err: process.stderr, terminal: process.stderr };
  const status = await runCommand(argv.slice(2), () => readEnvironment(process.cwd(), process.env), streams);
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  // Exits explicitly: a driver may still retry a connection whose result is no longer needed.
  process.exit(status);
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '@tenantscope/cli/command';

/** Runs a command that must fail; returns its error output. */
export async function runFailingCommand(environment: Record<string, string>, ...args: string[]): Promise<string> {
  return (await runPartialCommand(environment, ...args)).stderr;
}

/** Runs a command that must fail and may have a result, of what it could do. */
export async function runPartialCommand(
  environment: Record<string, string>,
  ...args: string[]
): Promise<{ status: number; stdout: string; stderr: string }> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(out), text(err)]);
  const status = await runCommand(args, () => environment, {
    input: Readable.from([]),
    out,
    err,
    terminal: process.stderr,
  });
  out.end();
  err.end();
  const [stdout, stderr] = await written;
  if (status === 0) throw new Error(`tenantscope ${args.join(' ')} succeeded`);
  return { status, stdout, stderr };
}

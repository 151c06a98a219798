import type { Writable } from 'node:stream';

/** The result of a command: a document for scripts, a text for terminals, and problems. */
export interface CommandResult {
  readonly document: unknown;
  readonly text: string;
  /** Each is a line on standard error; any of them makes the command fail after its result is written. */
  readonly problems?: readonly string[];
}

/** Writes the document as one line of JSON, or the text; returns the exit status. */
export function writeResult(result: CommandResult, to: { json: boolean; out: Writable; err: Writable }): 0 | 1 {
  const body = to.json ? JSON.stringify(result.document) : result.text;
  if (body !== '') to.out.write(`${body}\n`);
  for (const problem of result.problems ?? []) to.err.write(`tenantscope: ${problem}\n`);
  return result.problems?.length ? 1 : 0;
}

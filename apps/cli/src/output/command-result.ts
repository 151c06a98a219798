import type { Writable } from 'node:stream';
import { escapeControlCharacters } from './escape-control-characters.ts';

/** The result of a command: a document for scripts, a text for terminals, and problems. */
export interface CommandResult {
  readonly document: unknown;
  readonly text: string;
  /** Each is a line on standard error; any of them makes the command fail after its result is written. */
  readonly problems?: readonly string[];
  /** What a verification left unchecked: a line on standard error, and exit status 3 instead of 0. */
  readonly unchecked?: string | undefined;
}

/** Writes the document as one line of JSON, or the text; returns the exit status: 1 with problems, 3 with unchecked parts, else 0. */
export function writeResult(result: CommandResult, to: { json: boolean; out: Writable; err: Writable }): 0 | 1 | 3 {
  const body = to.json ? JSON.stringify(result.document) : result.text;
  if (body !== '') to.out.write(`${body}\n`);
  const { problems = [], unchecked } = result;
  for (const line of unchecked === undefined ? problems : [...problems, unchecked]) writeMessage(line, to.err);
  if (problems.length > 0) return 1;
  return unchecked === undefined ? 0 : 3;
}

/** A line for the operator. It may quote a file, a record or a response, whose control characters would rewrite what the terminal shows. */
export function writeMessage(line: string, err: Writable): void {
  err.write(`tenantscope: ${escapeControlCharacters(line, '')}\n`);
}

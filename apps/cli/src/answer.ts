import type { Writable } from 'node:stream';

/** What a command found or did: one document for scripts, a text for people, and what of it went wrong. */
export interface Answer {
  readonly document: unknown;
  readonly text: string;
  /** Each is a line on standard error; any makes the command fail although its answer is printed. */
  readonly problems?: readonly string[];
}

/** Prints the document as one line of JSON, or the text; gives the exit status. */
export function print(answer: Answer, to: { json: boolean; out: Writable; err: Writable }): 0 | 1 {
  const body = to.json ? JSON.stringify(answer.document) : answer.text;
  if (body !== '') to.out.write(`${body}\n`);
  for (const problem of answer.problems ?? []) to.err.write(`tenantscope: ${problem}\n`);
  return answer.problems?.length ? 1 : 0;
}

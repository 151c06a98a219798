import { secretPattern } from '@tenantscope/store/api-key';
import type { FastifyRequest } from 'fastify';
import { HttpError } from './http-error.ts';

/**
 * Refuses text that the database cannot store, repeated parameters, and secrets of keys, which are pasted by mistake: the audit log and the
 * history of the playground store what they receive forever.
 */
export function rejectUnsafeText({ query, params, body }: FastifyRequest): void {
  for (const [name, value] of Object.entries({ ...(query as object), ...(params as object) }) as [string, unknown][])
    if (typeof value !== 'string')
      throw new HttpError('INVALID_PARAMETER', 'A parameter is repeated.', [
        { parameter: name, reason: 'is repeated' },
      ]);
  for (const text of textsIn([query, params, body])) {
    if (text.includes('\0') || !text.isWellFormed())
      throw new HttpError('INVALID_PARAMETER', 'The text contains an invalid character.');
    if (secretPattern.test(text))
      throw new HttpError(
        'INVALID_PARAMETER',
        'This is the secret of a key. Do not share it; find a key by the first characters after tscope_live_.',
      );
  }
}

/** Iterative, since a request may be nested deeper than the call stack. */
function* textsIn(everything: unknown): Generator<string> {
  for (const left = [everything]; left.length > 0; ) {
    const value = left.pop();
    if (typeof value === 'string') yield value;
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) left.push(name, member);
  }
}

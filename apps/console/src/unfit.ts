import { secretPattern } from '@tenantscope/store';
import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

/**
 * Refuses texts that the database cannot keep, names that are given twice, and secrets of keys, which somebody pasted by mistake: what the audit and
 * the history of the playground write down stays there.
 */
export function refuseUnfit({ query, params, body }: FastifyRequest): void {
  for (const [name, value] of Object.entries({ ...(query as object), ...(params as object) }) as [string, unknown][])
    if (typeof value !== 'string')
      throw new Refusal('INVALID_PARAMETER', 'A parameter is given more than once.', [
        { parameter: name, reason: 'is given more than once' },
      ]);
  for (const text of textsIn([query, params, body])) {
    if (text.includes('\0') || !text.isWellFormed())
      throw new Refusal('INVALID_PARAMETER', 'A text holds a character that is none.');
    if (secretPattern.test(text))
      throw new Refusal(
        'INVALID_PARAMETER',
        'That is the secret of a key. Send it nowhere; a key is found by the first letters behind tscope_live_.',
      );
  }
}

/** However deep they lie: what came over the wire may be deeper than calls can go. */
function* textsIn(everything: unknown): Generator<string> {
  for (const left = [everything]; left.length > 0; ) {
    const value = left.pop();
    if (typeof value === 'string') yield value;
    else if (typeof value === 'object' && value !== null)
      for (const [name, held] of Object.entries(value)) left.push(name, held);
  }
}

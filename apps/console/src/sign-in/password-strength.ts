import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { HttpError } from '../http/http-error.ts';

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
/** At least 10^8 guesses, each of them an Argon2 hash. */
const minScore = 3;
/** Estimating takes 450 ms for 960 repeated characters, 30 ms for 64. */
const estimatedLength = 64;
const productTerms = ['tenantscope', 'console', 'administrator'];

/**
 * Refuses passwords that are guessed early: common ones (a list of 49,000), keyboard patterns, repetitions, and those built on the product's name
 * or on `contextTerms`, the names of member and organization. Throws INVALID_PARAMETER.
 */
export function requireStrongPassword(password: string, contextTerms: readonly string[]): void {
  const terms = [...productTerms, ...contextTerms.flatMap((text) => [text.replaceAll(' ', ''), ...text.split(' ')])];
  const { score } = estimator.check(password.slice(0, estimatedLength), terms);
  if (score < minScore)
    throw new HttpError(
      'INVALID_PARAMETER',
      'This password is easy to guess: it is common, repeats itself, or is built on a name. Choose another, such as a long passphrase.',
      [{ parameter: 'password', reason: 'easy to guess' }],
    );
}

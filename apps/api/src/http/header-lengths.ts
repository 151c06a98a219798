import {
  ApiError,
  entityTagConditionMax,
  isConditional,
  mayWait,
  type Operation,
  preferMax,
} from '@tenantscope/contract';
import type { FastifyRequest } from 'fastify';

/** Throws INVALID_PARAMETER for a header of the operation that has more characters than its description allows. */
export function requireHeaderLengths(operation: Operation, { headers }: Pick<FastifyRequest, 'headers'>): void {
  if (isConditional(operation)) requireLength('If-None-Match', headers['if-none-match'], entityTagConditionMax);
  if (mayWait(operation)) requireLength('Prefer', [headers.prefer ?? []].flat().join(), preferMax);
}

function requireLength(parameter: string, value = '', max: number): void {
  if (value.length <= max) return;
  const reason = `has ${value.length} characters, at most ${max} are allowed`;
  throw new ApiError('INVALID_PARAMETER', `The header ${parameter} ${reason}. Shorten or omit it.`, [
    { parameter, reason },
  ]);
}

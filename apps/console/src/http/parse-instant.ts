import { parseTime } from '@tenantscope/contract';
import { HttpError } from './http-error.ts';

/** Epoch ms. Throws INVALID_PARAMETER that names the parameter. */
export function parseInstant(text: string, parameter: string): number {
  const ms = parseTime(text);
  if (ms === null) throw invalidParameter(parameter, 'is not a time');
  return ms;
}

export const invalidParameter = (parameter: string, reason: string): HttpError =>
  new HttpError('INVALID_PARAMETER', `${parameter}: ${reason}.`, [{ parameter, reason }]);

import { ApiError, type ErrorDetail, findExampleId, type Operation, type RawParameter } from '@tenantscope/contract';
import { idTooLong } from '../http/error-response.ts';
import { idMaxLength } from '../limits.ts';
import { listToolExamples } from './tool-list.ts';

/** Converts tool arguments to request parameters: nulls are absent, numbers and booleans become strings, arrays become comma lists. */
export function readToolParameters(operation: Operation, given: unknown): RawParameter[] {
  const entries = readEntries(operation, given);
  const exampleId = findExampleId(operation);
  if (exampleId === undefined) return entries.flatMap(([name, value]) => toParameters(name, value));
  const others = entries.filter(([name]) => name !== 'id');
  const allowed = ['id', ...Object.keys(operation.parameters)];
  for (const [name] of others)
    if (!allowed.includes(name))
      throw invalidArgument({ parameter: name, reason: 'is not an argument of this tool', allowed });
  const id = readRecordId(operation, given);
  if (id === undefined)
    throw invalidArgument({ parameter: 'id', reason: 'is missing or not a string', example: exampleId });
  if (id.length > idMaxLength) throw idTooLong();
  return others.flatMap(([name, value]) => toParameters(name, value));
}

/** The record id of a by-id operation; undefined if missing. */
export function readRecordId(operation: Operation, given: unknown): string | undefined {
  if (findExampleId(operation) === undefined || !isObject(given)) return undefined;
  const text = scalarText(given.id);
  return text === '' ? undefined : text;
}

function readEntries(operation: Operation, given: unknown): [string, unknown][] {
  if (given === undefined || given === null) return [];
  if (isObject(given)) return Object.entries(given).filter(([, value]) => value !== null);
  const example = JSON.stringify(listToolExamples(operation)[0]?.arguments ?? {});
  throw invalidArgument({ parameter: 'arguments', reason: 'is not an object', example });
}

function toParameters(name: string, value: unknown): RawParameter[] {
  const items = (Array.isArray(value) ? value : [value]).filter((item) => item !== null);
  return items.map((item) => {
    const text = scalarText(item);
    if (text === undefined)
      throw invalidArgument({
        parameter: name,
        reason: 'is an object or a long number; use a string, or several strings separated by commas',
      });
    return [name, text] as const;
  });
}

/** Undefined also for an id whose last digits are lost because it was sent as a number. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const nameMax = 64;

function invalidArgument(detail: ErrorDetail): ApiError {
  const parameter = detail.parameter.slice(0, nameMax).toWellFormed();
  const plain = /^[\w.[\]-]+$/.test(parameter) ? `The argument ${parameter}` : 'An argument';
  return new ApiError(
    'INVALID_PARAMETER',
    `${plain} ${detail.reason}. Correct it and repeat the call; details list the allowed values.`,
    [{ ...detail, parameter }],
  );
}

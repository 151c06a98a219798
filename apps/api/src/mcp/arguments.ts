import { ApiError, type ErrorDetail, type GivenParameter, type Operation } from '@tenantscope/contract';
import { idTooLong } from '../failure.ts';
import { idMaxLength } from '../limits.ts';
import { examplesOf } from './tool.ts';

/** Arguments of a tool call as the parameters of a request: nulls are absent, numbers and truths are texts, arrays are comma lists. */
export function parametersOfCall(operation: Operation, given: unknown): GivenParameter[] {
  const entries = entriesOf(operation, given);
  if (operation.kind !== 'get') return entries.flatMap(([name, value]) => parametersOf(name, value));
  const others = entries.filter(([name]) => name !== 'id');
  const allowed = ['id', ...Object.keys(operation.parameters)];
  for (const [name] of others)
    if (!allowed.includes(name)) throw refused({ parameter: name, reason: 'is not an argument of this tool', allowed });
  const id = idOfCall(operation, given);
  if (id === undefined)
    throw refused({ parameter: 'id', reason: 'is missing or no text', example: operation.exampleId });
  if (id.length > idMaxLength) throw idTooLong();
  return others.flatMap(([name, value]) => parametersOf(name, value));
}

/** What a by-id read asks for; undefined where it is missing. */
export function idOfCall(operation: Operation, given: unknown): string | undefined {
  if (operation.kind !== 'get' || !isObject(given)) return undefined;
  const text = scalarText(given.id);
  return text === '' ? undefined : text;
}

function entriesOf(operation: Operation, given: unknown): [string, unknown][] {
  if (given === undefined || given === null) return [];
  if (isObject(given)) return Object.entries(given).filter(([, value]) => value !== null);
  const example = JSON.stringify(examplesOf(operation)[0]?.arguments ?? {});
  throw refused({ parameter: 'arguments', reason: 'is not an object', example });
}

function parametersOf(name: string, value: unknown): GivenParameter[] {
  const items = (Array.isArray(value) ? value : [value]).filter((item) => item !== null);
  return items.map((item) => {
    const text = scalarText(item);
    if (text === undefined)
      throw refused({ parameter: name, reason: 'is an object; give a text, or texts with commas' });
    return [name, text] as const;
  });
}

function scalarText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const nameMax = 64;

function refused(detail: ErrorDetail): ApiError {
  const parameter = detail.parameter.slice(0, nameMax).toWellFormed();
  const plain = /^[\w.[\]-]+$/.test(parameter) ? `The argument ${parameter}` : 'An argument';
  return new ApiError(
    'INVALID_PARAMETER',
    `${plain} ${detail.reason}. Correct it and repeat the call; details name what is allowed.`,
    [{ ...detail, parameter }],
  );
}

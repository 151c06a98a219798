import type { ErrorDetail } from '../error.ts';
import {
  type Choice,
  choicesTextMax,
  type Filter,
  filterValueMax,
  type Instant,
  instantTextMax,
  type Limit,
  limitMax,
  listValuesMax,
  type Parameter,
  type Sort,
  type Text,
} from './parameter.ts';
import { parseTime } from './time.ts';

/** Reports a rejected parameter and returns undefined. Rejections are collected, so that one response names them all. */
export type Reject = (detail: ErrorDetail) => undefined;

export function parseFilter(
  name: string,
  filter: Filter,
  given: readonly string[],
  reject: Reject,
): readonly (string | boolean)[] | undefined {
  if (filter.kind === 'flag') return parseFlag(name, filter, given, reject);
  const items = given.flatMap((text) => text.split(','));
  if (items.length > listValuesMax)
    return reject(rejection(name, filter, `has more than ${listValuesMax} values; split the request`));
  const longest = filter.kind === 'choices' ? choicesTextMax : filterValueMax;
  if ((filter.kind === 'choices' ? given : items).some((text) => isLonger(text, longest)))
    return reject(rejection(name, filter, `has more than ${longest} characters at once`));
  // A text too long for a value is a list of several.
  const whole =
    filter.kind === 'texts' && filter.hasCommas ? given.filter((text) => !isLonger(text, filterValueMax)) : [];
  const values = [...new Set([...items, ...whole].map((item) => item.trim()).filter((item) => item !== ''))];
  if (values.length === 0) return undefined;
  if (filter.kind === 'choices' && !values.every((value) => filter.allowed.includes(value)))
    return reject(rejection(name, filter, 'has a value that is not allowed'));
  return values;
}

export function parseInstant(
  name: string,
  parameter: Instant,
  given: readonly string[],
  reject: Reject,
): number | undefined {
  const text = singleValue(name, parameter, given, reject);
  if (text === undefined) return undefined;
  const ms = text.length > instantTextMax ? null : parseTime(text);
  return ms ?? reject(rejection(name, parameter, 'is not a time'));
}

export function parseSortParameter(
  name: string,
  sort: Sort,
  given: readonly string[],
  reject: Reject,
): string | undefined {
  const text = singleValue(name, sort, given, reject);
  if (text === undefined || sort.allowed.includes(text)) return text;
  return reject(rejection(name, sort, 'is not one of the allowed orders'));
}

export function parseChoice(
  name: string,
  choice: Choice,
  given: readonly string[],
  reject: Reject,
): string | undefined {
  const text = singleValue(name, choice, given, reject);
  if (text === undefined || choice.allowed.includes(text)) return text;
  return Object.hasOwn(choice.aliases, text)
    ? choice.aliases[text]
    : reject(rejection(name, choice, 'is not one of the allowed values'));
}

export function parseText(name: string, parameter: Text, given: readonly string[], reject: Reject): string | undefined {
  const text = singleValue(name, parameter, given, reject);
  if (text === undefined || !isLonger(text, filterValueMax)) return text;
  return reject(rejection(name, parameter, `has more than ${filterValueMax} characters`));
}

/** A value out of range is rejected, not clamped: a poller that expects pages of 5,000 rows must learn of the limit. */
export function parseLimit(name: string, limit: Limit, given: readonly string[], reject: Reject): number | undefined {
  const text = singleValue(name, limit, given, reject);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= limitMax) return Number(text);
  return reject(rejection(name, limit, `is not a whole number from 1 to ${limitMax}`));
}

/** Characters are code points, as `maxLength` of JSON Schema counts them. */
const isLonger = (text: string, max: number): boolean => text.length > max && [...text].length > max;

function parseFlag(name: string, flag: Filter, given: readonly string[], reject: Reject) {
  const text = singleValue(name, flag, given, reject);
  if (text === undefined) return undefined;
  return text === 'true' || text === 'false'
    ? [text === 'true']
    : reject(rejection(name, flag, 'is not true or false'));
}

/** A repeated scalar is accepted if all its values are equal. */
export function singleValue(
  name: string,
  parameter: Parameter,
  given: readonly string[],
  reject: Reject,
): string | undefined {
  if (new Set(given).size > 1)
    return reject(rejection(name, parameter, 'is given more than once with different values'));
  return given[0];
}

export function rejection(name: string, parameter: Parameter, reason: string): ErrorDetail {
  const allowed = allowedValues(parameter);
  return { parameter: name, reason, ...(allowed ? { allowed } : {}), example: parameter.example };
}

function allowedValues(parameter: Parameter): readonly string[] | undefined {
  switch (parameter.kind) {
    case 'choices':
    case 'choice':
    case 'sort':
      return parameter.allowed;
    case 'text':
      return [`any text of at most ${filterValueMax} characters`];
    case 'flag':
      return ['true', 'false'];
    case 'limit':
      return [`1 to ${limitMax}`];
    case 'texts':
      return [`at most ${listValuesMax} comma-separated values`];
    case 'instant':
      return ['ISO 8601', 'epoch seconds', 'epoch milliseconds'];
    case 'cursor':
      return ['an unchanged nextCursor or resumeCursor', '0'];
  }
}

import type { ErrorDetail } from './error.ts';
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

/** What a parameter's text becomes; undefined where it is absent. Refusals are collected, so that one answer names them all. */
export type Refuse = (detail: ErrorDetail) => undefined;

export function readFilter(
  name: string,
  filter: Filter,
  given: readonly string[],
  refuse: Refuse,
): readonly (string | boolean)[] | undefined {
  if (filter.kind === 'flag') return readFlag(name, filter, given, refuse);
  const items = given.flatMap((text) => text.split(','));
  if (items.length > listValuesMax)
    return refuse(refusal(name, filter, `holds more than ${listValuesMax} values; split the request`));
  const longest = filter.kind === 'choices' ? choicesTextMax : filterValueMax;
  if ((filter.kind === 'choices' ? given : items).some((text) => text.length > longest))
    return refuse(refusal(name, filter, `holds more than ${longest} characters at once`));
  const values = [...new Set(items.map((item) => item.trim()).filter((item) => item !== ''))];
  if (values.length === 0) return undefined;
  if (filter.kind === 'choices' && !values.every((value) => filter.allowed.includes(value)))
    return refuse(refusal(name, filter, 'holds a value that is not allowed'));
  return values;
}

export function readInstant(
  name: string,
  parameter: Instant,
  given: readonly string[],
  refuse: Refuse,
): number | undefined {
  const text = oneValue(name, parameter, given, refuse);
  if (text === undefined) return undefined;
  const ms = text.length > instantTextMax ? null : parseTime(text);
  return ms ?? refuse(refusal(name, parameter, 'is not a time'));
}

export function readSort(name: string, sort: Sort, given: readonly string[], refuse: Refuse): string | undefined {
  const text = oneValue(name, sort, given, refuse);
  if (text === undefined || sort.allowed.includes(text)) return text;
  return refuse(refusal(name, sort, 'is not one of the allowed orders'));
}

export function readChoice(name: string, choice: Choice, given: readonly string[], refuse: Refuse): string | undefined {
  const text = oneValue(name, choice, given, refuse);
  if (text === undefined || choice.allowed.includes(text)) return text;
  return Object.hasOwn(choice.aliases, text)
    ? choice.aliases[text]
    : refuse(refusal(name, choice, 'is not one of the allowed values'));
}

export function readText(name: string, parameter: Text, given: readonly string[], refuse: Refuse): string | undefined {
  const text = oneValue(name, parameter, given, refuse);
  if (text === undefined || text.length <= filterValueMax) return text;
  return refuse(refusal(name, parameter, `holds more than ${filterValueMax} characters`));
}

/** Out of range is refused, never clamped: a poller that believes in pages of 5,000 must hear of it. */
export function readLimit(name: string, limit: Limit, given: readonly string[], refuse: Refuse): number | undefined {
  const text = oneValue(name, limit, given, refuse);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= limitMax) return Number(text);
  return refuse(refusal(name, limit, `is not a whole number from 1 to ${limitMax}`));
}

function readFlag(name: string, flag: Filter, given: readonly string[], refuse: Refuse) {
  const text = oneValue(name, flag, given, refuse);
  if (text === undefined) return undefined;
  return text === 'true' || text === 'false' ? [text === 'true'] : refuse(refusal(name, flag, 'is not true or false'));
}

/** A repeated scalar passes while it says the same. */
export function oneValue(
  name: string,
  parameter: Parameter,
  given: readonly string[],
  refuse: Refuse,
): string | undefined {
  if (new Set(given).size > 1) return refuse(refusal(name, parameter, 'is given more than once with different values'));
  return given[0];
}

export function refusal(name: string, parameter: Parameter, reason: string): ErrorDetail {
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
      return ['a nextCursor or resumeCursor as it was received', '0'];
  }
}

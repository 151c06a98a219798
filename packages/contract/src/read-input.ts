import { ApiError, type ErrorDetail } from './error.ts';
import type { Document, Get, InputOf, List, ListContinuation, ListStart, Operation, Window } from './operation.ts';
import { filtersTextMax, limitDefault, type Parameter } from './parameter.ts';
import {
  oneValue,
  type Refuse,
  readChoice,
  readFilter,
  readInstant,
  readLimit,
  readSort,
  readText,
  refusal,
} from './read-parameter.ts';

/** A parameter as it came: name and text, null where the text was not decodable. */
export type GivenParameter = readonly [name: string, value: string | null];

/**
 * Reads what was asked, tolerantly where pollers differ and strictly where a slip would return the wrong rows.
 * `id` is the one in the path of a by-id read. Throws ApiError INVALID_PARAMETER whose details name every parameter refused.
 */
export function readInput<O extends Operation>(operation: O, given: Iterable<GivenParameter>, id?: string): InputOf<O> {
  const values = sortOut(operation.parameters, given);
  if (operation.kind === 'list') return readList(operation, values) as InputOf<O>;
  const input = readEach(operation, values);
  if (operation.kind !== 'get') return input as InputOf<O>;
  if (id === undefined) throw new TypeError('a by-id read is asked for an id');
  return { ...input, id } as InputOf<O>;
}

/** Each parameter by itself; what is absent is left out. */
function readEach({ parameters }: Document | Get, values: Values): Readonly<Record<string, unknown>> {
  const { details, refuse } = refusals();
  const read = Object.fromEntries(
    Object.entries(parameters)
      .map(([name, parameter]) => [name, readOne(name, parameter, values.texts(name), refuse)] as const)
      .filter(([, value]) => value !== undefined),
  );
  const { from, to } = parameters;
  if (from?.kind === 'instant' && to?.kind === 'instant' && Number(read.from) > Number(read.to))
    refuse(refusal('from', from, 'is later than to'));
  sayRefusals([...details, ...values.undecodable(Object.keys(parameters))]);
  return read;
}

function readOne(name: string, parameter: Parameter, given: readonly string[], refuse: Refuse): unknown {
  switch (parameter.kind) {
    case 'instant':
      return readInstant(name, parameter, given, refuse);
    case 'choice':
      return readChoice(name, parameter, given, refuse);
    case 'text':
      return readText(name, parameter, given, refuse);
    case 'limit':
      return readLimit(name, parameter, given, refuse);
    case 'sort':
      return readSort(name, parameter, given, refuse);
    case 'cursor': {
      const text = oneValue(name, parameter, given, refuse);
      return text === '0' ? undefined : text;
    }
    default:
      return readFilter(name, parameter, given, refuse);
  }
}

/** For what takes no parameters at all. Throws ApiError INVALID_PARAMETER naming those that were sent. */
export function refuseParameters(given: Iterable<GivenParameter>): void {
  sortOut({}, given);
}

function readList<L extends List>(operation: L, values: Values): ListStart<L> | ListContinuation {
  const { details, refuse } = refusals();
  const parameters = operation.parameters;
  const of = (name: string) => values.texts(name);
  const kind = <K extends Parameter['kind']>(name: string, kind: K) => {
    const parameter = parameters[name];
    if (parameter?.kind !== kind) throw new TypeError(`${name} is no ${kind}`);
    return parameter as Extract<Parameter, { kind: K }>;
  };

  const limit = readLimit('limit', kind('limit', 'limit'), of('limit'), refuse);
  const cursor = oneValue('cursor', kind('cursor', 'cursor'), of('cursor'), refuse);
  if (values.isUndecodable('cursor')) throw new ApiError('INVALID_CURSOR', cursorWords);
  // A cursor is the whole request: whatever else a poller resends beside it, changed or not, must not matter.
  if (cursor !== undefined && cursor !== '0') {
    sayRefusals([...details, ...values.undecodable(['limit'])]);
    return { cursor, limit: limit ?? null };
  }

  const filters = Object.entries(operation.filters)
    .map(([name, filter]) => [name, readFilter(name, filter, of(name), refuse)] as const)
    .filter(([, read]) => read !== undefined);
  const windows: Record<string, Window> = {};
  for (const [axis, { from, to }] of Object.entries(operation.windows)) {
    const fromMs = readInstant(from, kind(from, 'instant'), of(from), refuse) ?? null;
    const toMs = readInstant(to, kind(to, 'instant'), of(to), refuse) ?? null;
    if (fromMs !== null && toMs !== null && fromMs > toMs)
      refuse(refusal(from, kind(from, 'instant'), `is later than ${to}`));
    windows[axis] = { fromMs, toMs };
  }
  const isSortable = parameters.sort !== undefined;
  const sort = (isSortable && readSort('sort', kind('sort', 'sort'), of('sort'), refuse)) || operation.sorts[0];
  const filterText = filters.reduce((sum, [, read]) => sum + (read?.join().length ?? 0), 0);
  if (filterText > filtersTextMax)
    refuse({
      parameter: filters[0]?.[0] ?? '',
      reason: `and the other filters together exceed ${filtersTextMax} characters`,
    });
  sayRefusals([...details, ...values.undecodable(Object.keys(parameters))]);
  return {
    cursor: null,
    filters: Object.fromEntries(filters),
    windows,
    sort,
    limit: limit ?? limitDefault,
  } as ListStart<L>;
}

export const cursorWords =
  'The cursor is not one this endpoint issued for this tenant. Send a nextCursor or resumeCursor unchanged, or start without one.';

interface Values {
  texts(name: string): readonly string[];
  isUndecodable(name: string): boolean;
  undecodable(names: readonly string[]): readonly ErrorDetail[];
}

/** Groups values by parameter; empty ones count as absent; unknown names are refused before anything is read. */
function sortOut(parameters: Readonly<Record<string, Parameter>>, given: Iterable<GivenParameter>): Values {
  const groups = new Map<string, string[]>();
  const bad = new Set<string>();
  const unknown: ErrorDetail[] = [];
  for (const [name, value] of given) {
    if (!Object.hasOwn(parameters, name)) unknown.push(unknownParameter(name, Object.keys(parameters)));
    else if (value === null || value.includes('\0') || !value.isWellFormed()) bad.add(name);
    else if (value !== '') groups.set(name, [...(groups.get(name) ?? []), value]);
  }
  sayRefusals(unknown);
  return {
    texts: (name) => groups.get(name) ?? [],
    isUndecodable: (name) => bad.has(name),
    undecodable: (names) =>
      names
        .filter((name) => bad.has(name))
        .map((name) => ({ parameter: name, reason: 'is not valid UTF-8 text without NUL' })),
  };
}

const nameMax = 64;

function unknownParameter(name: string, allowed: readonly string[]): ErrorDetail {
  return { parameter: name.slice(0, nameMax).toWellFormed(), reason: 'is not a parameter of this endpoint', allowed };
}

function refusals(): { details: ErrorDetail[]; refuse: Refuse } {
  const details: ErrorDetail[] = [];
  return { details, refuse: (detail) => void details.push(detail) as undefined };
}

const detailsMax = 20;

function sayRefusals(details: readonly ErrorDetail[]): void {
  const [first] = details;
  if (!first) return;
  const plain = /^[\w.[\]-]{1,64}$/.test(first.parameter) ? `The parameter ${first.parameter}` : 'A parameter';
  throw new ApiError(
    'INVALID_PARAMETER',
    `${plain} ${first.reason}. Correct it and repeat the request; details name what is allowed.`,
    details.slice(0, detailsMax),
  );
}

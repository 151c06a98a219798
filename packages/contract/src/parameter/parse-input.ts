import { ApiError, type ErrorDetail } from '../error.ts';
import {
  type Document,
  findExampleId,
  type Get,
  type List,
  type ListContinuation,
  type ListStart,
  type Operation,
  type OperationInput,
  type Window,
} from '../operation/operation.ts';
import { filtersTextMax, limitDefault, type Parameter } from './parameter.ts';
import {
  parseChoice,
  parseFilter,
  parseInstant,
  parseLimit,
  parseSortParameter,
  parseText,
  type Reject,
  rejection,
  singleValue,
} from './parse-parameter.ts';

/** A query parameter: name and text; null if the text could not be decoded. */
export type RawParameter = readonly [name: string, value: string | null];

/**
 * Parses the parameters of a request: tolerant where pollers differ, strict where a mistake would return wrong rows.
 * `id` is the path segment of a by-id operation. Throws ApiError INVALID_PARAMETER whose details name every rejected parameter.
 */
export function parseInput<O extends Operation>(
  operation: O,
  given: Iterable<RawParameter>,
  id?: string,
): OperationInput<O> {
  const values = groupParameters(operation.parameters, given);
  const input = operation.kind === 'list' ? parseList(operation, values) : parseEach(operation, values);
  if (findExampleId(operation) === undefined) return input as OperationInput<O>;
  if (id === undefined) throw new TypeError('a by-id operation requires an id');
  return { ...input, id } as OperationInput<O>;
}

/** Parses each parameter; absent ones are left out. */
function parseEach({ parameters }: Document | Get, values: Values): Readonly<Record<string, unknown>> {
  const { details, reject } = collectRejections();
  const read = Object.fromEntries(
    Object.entries(parameters)
      .map(([name, parameter]) => [name, parseOne(name, parameter, values.texts(name), reject)] as const)
      .filter(([, value]) => value !== undefined),
  );
  for (const [start, from] of Object.entries(parameters)) {
    const end = start.replace(/from$/, 'to').replace(/From$/, 'To');
    if (end !== start && from.kind === 'instant' && Number(read[start]) > Number(read[end]))
      reject(rejection(start, from, `is later than ${end}`));
  }
  throwIfRejected([...details, ...values.undecodable(Object.keys(parameters))]);
  return read;
}

function parseOne(name: string, parameter: Parameter, given: readonly string[], reject: Reject): unknown {
  switch (parameter.kind) {
    case 'instant':
      return parseInstant(name, parameter, given, reject);
    case 'choice':
      return parseChoice(name, parameter, given, reject);
    case 'text':
      return parseText(name, parameter, given, reject);
    case 'limit':
      return parseLimit(name, parameter, given, reject);
    case 'sort':
      return parseSortParameter(name, parameter, given, reject);
    case 'cursor': {
      const text = singleValue(name, parameter, given, reject);
      return text === '0' ? undefined : text;
    }
    default:
      return parseFilter(name, parameter, given, reject);
  }
}

/** For routes without parameters. Throws ApiError INVALID_PARAMETER naming those that were sent. */
export function rejectParameters(given: Iterable<RawParameter>): void {
  groupParameters({}, given);
}

function parseList<L extends List>(operation: L, values: Values): ListStart<L> | ListContinuation {
  const { details, reject } = collectRejections();
  const parameters = operation.parameters;
  const of = (name: string) => values.texts(name);
  const kind = <K extends Parameter['kind']>(name: string, kind: K) => {
    const parameter = parameters[name];
    if (parameter?.kind !== kind) throw new TypeError(`${name} is not a ${kind}`);
    return parameter as Extract<Parameter, { kind: K }>;
  };

  const limit = parseLimit('limit', kind('limit', 'limit'), of('limit'), reject);
  const cursor = singleValue('cursor', kind('cursor', 'cursor'), of('cursor'), reject);
  if (values.isUndecodable('cursor')) throw new ApiError('INVALID_CURSOR', invalidCursorMessage);
  // A cursor contains the whole request: other parameters that a poller sends with it, changed or not, are ignored.
  if (cursor !== undefined && cursor !== '0') {
    throwIfRejected([...details, ...values.undecodable(['limit'])]);
    const ignored = Object.keys(parameters).filter(
      (name) => name !== 'cursor' && name !== 'limit' && of(name).length > 0,
    );
    return { cursor, limit: limit ?? null, ignored };
  }

  const filters = Object.entries(operation.filters)
    .map(([name, filter]) => [name, parseFilter(name, filter, of(name), reject)] as const)
    .filter(([, read]) => read !== undefined);
  const windows: Record<string, Window> = {};
  for (const [axis, { from, to }] of Object.entries(operation.windows)) {
    const fromMs = parseInstant(from, kind(from, 'instant'), of(from), reject) ?? null;
    const toMs = parseInstant(to, kind(to, 'instant'), of(to), reject) ?? null;
    if (fromMs !== null && toMs !== null && fromMs > toMs)
      reject(rejection(from, kind(from, 'instant'), `is later than ${to}`));
    windows[axis] = { fromMs, toMs };
  }
  const isSortable = parameters.sort !== undefined;
  const sort =
    (isSortable && parseSortParameter('sort', kind('sort', 'sort'), of('sort'), reject)) || operation.sorts[0];
  const { view: viewParameter } = parameters;
  const view = viewParameter?.kind === 'choice' ? parseChoice('view', viewParameter, of('view'), reject) : undefined;
  const filterText = filters.reduce((sum, [, read]) => sum + (read?.join().length ?? 0), 0);
  if (filterText > filtersTextMax)
    reject({
      parameter: filters[0]?.[0] ?? '',
      reason: `and the other filters together exceed ${filtersTextMax} characters`,
    });
  throwIfRejected([...details, ...values.undecodable(Object.keys(parameters))]);
  return {
    cursor: null,
    filters: Object.fromEntries(filters),
    windows,
    sort,
    limit: limit ?? limitDefault,
    ...(view === undefined || view === 'full' ? {} : { view }),
  } as ListStart<L>;
}

export const invalidCursorMessage =
  'The cursor was not issued by this endpoint for this tenant. Send an unchanged nextCursor or resumeCursor, or omit the cursor to start over.';

interface Values {
  texts(name: string): readonly string[];
  isUndecodable(name: string): boolean;
  undecodable(names: readonly string[]): readonly ErrorDetail[];
}

/** Groups values by parameter. Empty values count as absent; unknown names are rejected before values are parsed. */
function groupParameters(parameters: Readonly<Record<string, Parameter>>, given: Iterable<RawParameter>): Values {
  const groups = new Map<string, string[]>();
  const bad = new Set<string>();
  const unknown: ErrorDetail[] = [];
  for (const [name, value] of given) {
    if (!Object.hasOwn(parameters, name))
      unknown.push(unknownParameter(name, Object.keys(parameters), unknown.length === 0));
    else if (value === null || value.includes('\0') || !value.isWellFormed()) bad.add(name);
    else if (value !== '') groups.set(name, [...(groups.get(name) ?? []), value]);
  }
  throwIfRejected(unknown);
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

/** The first unknown name lists every parameter, others those that resemble them: agents read the whole text. */
function unknownParameter(name: string, all: readonly string[], isFirst: boolean): ErrorDetail {
  const allowed = isFirst ? all : all.filter((one) => resembles(one, name));
  const detail = { parameter: name.slice(0, nameMax).toWellFormed(), reason: 'is not a parameter of this endpoint' };
  return isFirst || allowed.length > 0 ? { ...detail, allowed } : detail;
}

/** Whether one name ends in the other, apart from case and separators. */
function resembles(one: string, other: string): boolean {
  const plain = (name: string) =>
    name
      .slice(0, nameMax)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '');
  const [a, b] = [plain(one), plain(other)];
  return b !== '' && (a.endsWith(b) || b.endsWith(a));
}

function collectRejections(): { details: ErrorDetail[]; reject: Reject } {
  const details: ErrorDetail[] = [];
  return { details, reject: (detail) => void details.push(detail) as undefined };
}

const detailsMax = 20;

function throwIfRejected(details: readonly ErrorDetail[]): void {
  const [first] = details;
  if (!first) return;
  const plain = /^[\w.[\]-]{1,64}$/.test(first.parameter) ? `The parameter ${first.parameter}` : 'A parameter';
  throw new ApiError(
    'INVALID_PARAMETER',
    `${plain} ${first.reason}. Correct it and retry; details list the allowed values.`,
    details.slice(0, detailsMax),
  );
}

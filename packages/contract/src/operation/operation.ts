import type { z } from 'zod';
import type { Scope } from '../access/scope.ts';
import {
  cursor,
  type Filter,
  type FilterValues,
  instant,
  type Parameter,
  type ParameterValue,
} from '../parameter/parameter.ts';
import { type RowView, rowView } from '../parameter/view.ts';
import type { Representation } from './representation.ts';

/** What every operation declares. REST routes, MCP tools and the OpenAPI description are generated from these values. */
interface Declaration<Name extends string, Record extends z.ZodObject> {
  /** Name of the tool and operationId of the path. */
  readonly name: Name;
  /** Below the base address; a by-id read has `{id}` in it. */
  readonly path: string;
  /** null: no scope required. */
  readonly scope: Scope | null;
  /** Further scopes that a key needs: those of the record that the rows are about. */
  readonly otherScopes?: readonly Scope[];
  readonly summary: string;
  readonly description: string;
  /** The description of the MCP tool, which agents read at every connection: purpose, when to use it, next tool. At most 400 characters. */
  readonly toolDescription: string;
  /** Whether responses contain text written by users or third parties. */
  readonly containsUntrustedText: boolean;
  readonly record: Record;
  /** Other forms of a REST response, which a client chooses with Accept. */
  readonly representations?: readonly Representation[];
  /** A list that takes some of the same parameters. The descriptions of its tool, which `toolDescription` names, are not repeated. */
  readonly describedBy?: List;
  /** Working requests, as query parameters. */
  readonly examples: readonly Example[];
}

export interface Example {
  readonly description: string;
  /** Left out of MCP tools, since agents do not poll. */
  readonly pollingOnly?: true;
  readonly input: Readonly<Partial<Record<string, string>>>;
}

/** `optional` operations need no selected tenant and are available on every plan. */
export type TenantNeed = 'optional' | 'required';

/** The time that a window filters on. On the `write` clock rows appear in order and a settled window never gains one; `upstream` times arrive late. */
export interface Axis {
  readonly from: string;
  readonly to: string;
  readonly clock: 'write' | 'upstream';
  readonly description: string;
}

type Filters = Readonly<Record<string, Filter>>;
type SortName<AxisName extends string> = `${AxisName}${'Asc' | 'Desc'}`;
type SortNames<AxisName extends string> = readonly [SortName<AxisName>, ...SortName<AxisName>[]];

/** Many records, page by page. */
export interface List<
  Name extends string = string,
  Shape extends z.ZodObject = z.ZodObject,
  F extends Filters = Filters,
  AxisName extends string = string,
  Sorts extends SortNames<AxisName> = SortNames<AxisName>,
> extends Declaration<Name, Shape> {
  readonly kind: 'list';
  readonly tenant: 'required';
  readonly filters: F;
  readonly windows: Readonly<Record<AxisName, Axis>>;
  /** Each is a window's axis and a direction; the first is the default. */
  readonly sorts: Sorts;
  /** Of a list about one record, whose path has `{id}` in it. */
  readonly exampleId?: string;
  /** Whether rows can be events of another schema. */
  readonly hasViews?: true;
  /** Of a list without windows: its order is by our write clock. */
  readonly hasWriteOrder?: true;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

type Parameters = Readonly<Record<string, Parameter>>;

/** One record by its id, a segment of the path. */
export interface Get<
  Name extends string = string,
  Shape extends z.ZodObject = z.ZodObject,
  P extends Parameters = Parameters,
> extends Declaration<Name, Shape> {
  readonly kind: 'get';
  readonly tenant: 'required';
  /** An example id, from the demo data where its ids are stable across starts. */
  readonly exampleId: string;
  readonly parameters: P;
}

/** One object, or a complete list on one page. */
export interface Document<
  Name extends string = string,
  Shape extends z.ZodObject = z.ZodObject,
  P extends Parameters = Parameters,
> extends Declaration<Name, Shape> {
  readonly kind: 'document';
  readonly tenant: TenantNeed;
  /** `collection`: the list envelope with all rows on one page. */
  readonly returns: 'record' | 'collection';
  readonly parameters: P;
}

export type Operation = List | Get | Document;

type DeclarationInput<Whole, Added extends keyof Whole> = Omit<Whole, 'kind' | 'parameters' | Added>;

export function list<
  const Name extends string,
  Shape extends z.ZodObject,
  const F extends Filters,
  AxisName extends keyof z.infer<Shape> & string,
  const Sorts extends SortNames<NoInfer<AxisName>>,
>(given: DeclarationInput<List<Name, Shape, F, AxisName, Sorts>, 'tenant'>): List<Name, Shape, F, AxisName, Sorts> {
  const windows = Object.entries<Axis>(given.windows).flatMap(([axis, { from, to, clock, description }], place) => [
    [
      from,
      instant(`Start of the window on ${description}.`, '2026-11-01T00:00:00Z', { brief: `Earliest ${axis}.` }),
    ] as const,
    [
      to,
      instant(`End of the window on ${description}.`, '2026-11-02T00:00:00Z', {
        // Once is enough on lists of records, whose own time comes first.
        brief: `Latest ${axis}${place > 0 && clock === 'write' ? '' : '; a date is its 00:00'}.`,
      }),
    ] as const,
  ]);
  const parameters: Record<string, Parameter> = {
    ...given.filters,
    ...Object.fromEntries(windows),
    sort: sortParameter(given.sorts),
    ...(given.hasViews ? { view: rowView } : {}),
    ...paging,
  };
  return { ...given, kind: 'list', tenant: 'required', parameters };
}

const sortParameter = (sorts: readonly [string, ...string[]]): Parameter => ({
  kind: 'sort',
  description: 'Order of the rows.',
  brief: '',
  example: sorts[0],
  allowed: sorts,
});

const paging = {
  limit: {
    kind: 'limit',
    description: 'Maximum number of rows on the page. It may have fewer with hasMore.',
    brief: '',
    example: '200',
  },
  cursor: cursor(
    'Continues an earlier page. It contains filters, window, sort and limit; other parameters sent with it are ignored, except limit.',
    { brief: '' },
  ),
} as const satisfies Parameters;

/** A list without windows and filters. */
export interface UnfilteredList<Name extends string, Shape extends z.ZodObject, AxisName extends string>
  extends Omit<List<Name, Shape, Readonly<Record<never, Filter>>, AxisName, readonly [`${AxisName}Desc`]>, 'windows'> {
  readonly windows: Readonly<Record<never, Axis>>;
}

/** A list, newest first, with only limit and cursor as parameters. */
export function unfilteredList<
  const Name extends string,
  Shape extends z.ZodObject,
  AxisName extends keyof z.infer<Shape> & string,
>(
  given: DeclarationInput<Document<Name, Shape>, 'tenant' | 'returns'> & { readonly newestFirst: AxisName },
): UnfilteredList<Name, Shape, AxisName> {
  const { newestFirst, ...rest } = given;
  const sorts = [`${newestFirst}Desc`] as const;
  return { ...rest, kind: 'list', tenant: 'required', filters: {}, windows: {}, sorts, parameters: paging };
}

/** A list with filters and one order. */
export interface OrderedList<Name extends string, Shape extends z.ZodObject, F extends Filters, AxisName extends string>
  extends Omit<List<Name, Shape, F, AxisName, readonly [`${AxisName}Asc`]>, 'windows'> {
  readonly windows: Readonly<Record<never, Axis>>;
}

/** A list ordered by a member of its rows, with filters, limit and cursor as parameters. */
export function orderedList<
  const Name extends string,
  Shape extends z.ZodObject,
  const F extends Filters,
  AxisName extends keyof z.infer<Shape> & string,
>(
  given: DeclarationInput<Document<Name, Shape>, 'tenant' | 'returns'> & {
    readonly filters: F;
    readonly orderedBy: AxisName;
  },
): OrderedList<Name, Shape, F, AxisName> {
  const { orderedBy, ...rest } = given;
  const sorts = [`${orderedBy}Asc`] as const;
  return { ...rest, kind: 'list', tenant: 'required', windows: {}, sorts, parameters: { ...given.filters, ...paging } };
}

/** A list about the record whose id is a segment of the path, with filters and one order. */
export interface RelatedList<Name extends string, Shape extends z.ZodObject, F extends Filters, AxisName extends string>
  extends OrderedList<Name, Shape, F, AxisName> {
  readonly exampleId: string;
}

/** A list about one record, ordered by a member of its rows, with filters, limit and cursor as parameters. */
export function relatedList<
  const Name extends string,
  Shape extends z.ZodObject,
  const F extends Filters,
  AxisName extends keyof z.infer<Shape> & string,
>(
  given: DeclarationInput<Document<Name, Shape>, 'tenant' | 'returns'> & {
    readonly filters: F;
    readonly orderedBy: AxisName;
    readonly exampleId: string;
  },
): RelatedList<Name, Shape, F, AxisName> {
  return { ...orderedList(given), exampleId: given.exampleId };
}

/** The dated states of the record whose id is a segment of the path, newest first. */
export interface RelatedHistory<Name extends string, Shape extends z.ZodObject, AxisName extends string>
  extends UnfilteredList<Name, Shape, AxisName> {
  readonly exampleId: string;
}

/** A list of the dated states of one record, newest first, with only limit and cursor as parameters. */
export function relatedHistory<
  const Name extends string,
  Shape extends z.ZodObject,
  AxisName extends keyof z.infer<Shape> & string,
>(
  given: DeclarationInput<Document<Name, Shape>, 'tenant' | 'returns'> & {
    readonly newestFirst: AxisName;
    readonly exampleId: string;
  },
): RelatedHistory<Name, Shape, AxisName> {
  return { ...unfilteredList(given), exampleId: given.exampleId };
}

/** A list of the rows behind one record, whose id is a segment of the path, with filters and both orders by our write clock. */
export function rowsBehind<
  const Name extends string,
  Shape extends z.ZodObject,
  const F extends Filters,
  AxisName extends keyof z.infer<Shape> & string,
  const Sorts extends SortNames<NoInfer<AxisName>>,
>(
  given: DeclarationInput<Document<Name, Shape>, 'tenant' | 'returns'> & {
    readonly filters: F;
    readonly orderedBy: AxisName;
    readonly sorts: Sorts;
    readonly exampleId: string;
  },
): RowsBehind<Name, Shape, F, AxisName, Sorts> {
  const { orderedBy: _, ...rest } = given;
  const parameters = { ...given.filters, sort: sortParameter(given.sorts), view: rowView, ...paging };
  return { ...rest, kind: 'list', tenant: 'required', windows: {}, hasWriteOrder: true, parameters };
}

/** The rows behind one record. */
export interface RowsBehind<
  Name extends string,
  Shape extends z.ZodObject,
  F extends Filters,
  AxisName extends string,
  Sorts extends SortNames<AxisName>,
> extends Omit<List<Name, Shape, F, AxisName, Sorts>, 'windows'> {
  readonly windows: Readonly<Record<never, Axis>>;
  readonly exampleId: string;
}

/** Every scope that a key needs for an operation. */
export const requiredScopes = ({ scope, otherScopes = [] }: Pick<Operation, 'scope' | 'otherScopes'>): Scope[] =>
  scope === null ? [] : [scope, ...otherScopes];

/** The example id of an operation whose path has `{id}` in it; undefined for other operations. */
export const findExampleId = (operation: Operation): string | undefined =>
  operation.kind === 'document' ? undefined : operation.exampleId;

/** By-id reads and documents of a tenant have entity tags. A page of a list differs with each request. */
export const isConditional = ({ kind, tenant }: Operation): boolean => kind !== 'list' && tenant === 'required';

/** Characters of an If-None-Match header: about 170 entity tags. */
export const entityTagConditionMax = 8_192;

/** Characters of a Prefer header. */
export const preferMax = 1_024;

/** Whether requests may wait for new rows of the list: it has an order by our write clock. */
export const mayWait = (operation: Operation): boolean =>
  operation.kind === 'list' &&
  (operation.hasWriteOrder ?? Object.values(operation.windows).some(({ clock }) => clock === 'write'));

/** Every form that an operation offers besides JSON. */
export function listRepresentations(operation: Operation): readonly Representation[] {
  const { representations: declared = [], kind } = operation;
  const isList = kind === 'list' || (kind === 'document' && operation.returns === 'collection');
  return isList ? ['ndjson', ...declared] : declared;
}

type WithParameters<Declared, P> = Declared & { readonly parameters?: P };

export function get<
  const Name extends string,
  Shape extends z.ZodObject,
  const P extends Parameters = Readonly<Record<never, Parameter>>,
>(given: WithParameters<DeclarationInput<Get<Name, Shape>, 'tenant'>, P>): Get<Name, Shape, P> {
  return { ...given, kind: 'get', tenant: 'required', parameters: given.parameters ?? ({} as P) };
}

export function document<
  const Name extends string,
  Shape extends z.ZodObject,
  const P extends Parameters = Readonly<Record<never, Parameter>>,
>(given: WithParameters<DeclarationInput<Document<Name, Shape>, never>, P>): Document<Name, Shape, P> {
  return { ...given, kind: 'document', parameters: given.parameters ?? ({} as P) };
}

/** Both bounds belong to the window; null is open. */
export interface Window {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export type ListFilters<L extends List> = { readonly [Name in keyof L['filters']]?: FilterValues<L['filters'][Name]> };
export type ListAxis<L extends List> = keyof L['windows'] & string;

/** A list request from the start. */
export interface ListStart<L extends List = List> {
  readonly cursor: null;
  readonly filters: ListFilters<L>;
  readonly windows: { readonly [Name in ListAxis<L>]: Window };
  readonly sort: L['sorts'][number];
  readonly limit: number;
  /** Rows are those of the reference if left out. */
  readonly view?: RowView;
}

/** A list request with a cursor, which contains everything but the limit. */
export interface ListContinuation {
  readonly cursor: string;
  readonly limit: number | null;
  /** Parameters that were sent with the cursor and are not applied. */
  readonly ignored: readonly string[];
}

export type OperationInput<O extends Operation> = O extends List
  ? (ListStart<O> | ListContinuation) & (O extends { readonly exampleId: string } ? { readonly id: string } : unknown)
  : O extends Get
    ? { readonly id: string } & ParameterValues<O['parameters']>
    : ParameterValues<O['parameters']>;

/** Absent parameters are left out. */
type ParameterValues<P extends Parameters> = { readonly [Name in keyof P]?: ParameterValue<P[Name]> };

export interface SortKey<AxisName extends string = string> {
  readonly axis: AxisName;
  readonly ascending: boolean;
}

/** Parses a sort such as `discoveredAtAsc`. */
export function parseSort<AxisName extends string>(sort: SortName<AxisName>): SortKey<AxisName> {
  const ascending = sort.endsWith('Asc');
  return { axis: sort.slice(0, ascending ? -3 : -4) as AxisName, ascending };
}

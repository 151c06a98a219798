import type { z } from 'zod';
import { cursor, type Filter, type FilterValues, instant, type Parameter, type ParameterValue } from './parameter.ts';
import type { Scope } from './scope.ts';

/** What every operation declares. REST routes, tools and the OpenAPI description are loops over these values. */
interface Declaration<Name extends string, Record extends z.ZodObject> {
  /** Name of the tool and operationId of the path. */
  readonly name: Name;
  /** Below the base address; a by-id read has `{id}` in it. */
  readonly path: string;
  /** null: any key may ask. */
  readonly scope: Scope | null;
  readonly summary: string;
  readonly description: string;
  /** For agents, who read it at every connection: what it is for, when to use it, what next. At most 400 characters. */
  readonly guidance: string;
  /** Whether answers hold text that users or third parties wrote. */
  readonly textOfOthers: boolean;
  readonly record: Record;
  /** Requests that work as they stand, as query parameters. */
  readonly examples: readonly Example[];
}

export interface Example {
  readonly words: string;
  /** Agents do not poll: it is left out of tools. */
  readonly forPollers?: true;
  readonly input: Readonly<Partial<Record<string, string>>>;
}

/** `optional` operations answer without a selected tenant and stand outside the plan gate. */
export type TenantNeed = 'optional' | 'required';

/** A time a window acts on. On the `write` clock rows appear in order and a settled window never gains one; `upstream` times arrive late. */
export interface Axis {
  readonly from: string;
  readonly to: string;
  readonly clock: 'write' | 'upstream';
  readonly words: string;
}

type Filters = Readonly<Record<string, Filter>>;
type SortOf<AxisName extends string> = `${AxisName}${'Asc' | 'Desc'}`;
type SortsOf<AxisName extends string> = readonly [SortOf<AxisName>, ...SortOf<AxisName>[]];

/** Many records, page by page. */
export interface List<
  Name extends string = string,
  Shape extends z.ZodObject = z.ZodObject,
  F extends Filters = Filters,
  AxisName extends string = string,
  Sorts extends SortsOf<AxisName> = SortsOf<AxisName>,
> extends Declaration<Name, Shape> {
  readonly kind: 'list';
  readonly tenant: 'required';
  readonly filters: F;
  readonly windows: Readonly<Record<AxisName, Axis>>;
  /** Each is a window's axis and a direction; the first is the default. */
  readonly sorts: Sorts;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

type Parameters = Readonly<Record<string, Parameter>>;

/** One record by its id, which may stand inside the path. */
export interface Get<
  Name extends string = string,
  Shape extends z.ZodObject = z.ZodObject,
  P extends Parameters = Parameters,
> extends Declaration<Name, Shape> {
  readonly kind: 'get';
  readonly tenant: 'required';
  /** What an id may look like; one of the demo data where those last from start to start. */
  readonly exampleId: string;
  readonly parameters: P;
}

/** One object, or everything there is on one page. */
export interface Document<
  Name extends string = string,
  Shape extends z.ZodObject = z.ZodObject,
  P extends Parameters = Parameters,
> extends Declaration<Name, Shape> {
  readonly kind: 'document';
  readonly tenant: TenantNeed;
  /** `everything`: the answer is the list envelope, all rows on one page. */
  readonly holds: 'one' | 'everything';
  readonly parameters: P;
}

export type Operation = List | Get | Document;

type Given<Whole, Added extends keyof Whole> = Omit<Whole, 'kind' | 'parameters' | Added>;

export function list<
  const Name extends string,
  Shape extends z.ZodObject,
  const F extends Filters,
  AxisName extends keyof z.infer<Shape> & string,
  const Sorts extends SortsOf<NoInfer<AxisName>>,
>(given: Given<List<Name, Shape, F, AxisName, Sorts>, 'tenant'>): List<Name, Shape, F, AxisName, Sorts> {
  const windows = Object.entries<Axis>(given.windows).flatMap(([axis, { from, to, words }]) => [
    [
      from,
      instant(`Start of the window on ${words}.`, '2026-11-01T00:00:00Z', { brief: `Earliest ${axis}.` }),
    ] as const,
    [to, instant(`End of the window on ${words}.`, '2026-11-01T01:00:00Z', { brief: `Latest ${axis}.` })] as const,
  ]);
  const parameters: Record<string, Parameter> = {
    ...given.filters,
    ...Object.fromEntries(windows),
    sort: { kind: 'sort', words: 'Order of the rows.', brief: 'Order.', example: given.sorts[0], allowed: given.sorts },
    ...paging,
  };
  return { ...given, kind: 'list', tenant: 'required', parameters };
}

const paging = {
  limit: { kind: 'limit', words: 'Most rows on the page.', brief: 'Rows.', example: '200' },
  cursor: cursor(
    'Continues an earlier page. It carries filters, window, sort and limit: those sent beside it are ignored, limit is honoured.',
    { brief: 'Next page.' },
  ),
} as const satisfies Parameters;

/** A list without windows and filters. */
export interface History<Name extends string, Shape extends z.ZodObject, AxisName extends string>
  extends Omit<List<Name, Shape, Readonly<Record<never, Filter>>, AxisName, readonly [`${AxisName}Desc`]>, 'windows'> {
  readonly windows: Readonly<Record<never, Axis>>;
}

/** Many records in their one order, newest first: a list that is asked for with limit and cursor only. */
export function history<
  const Name extends string,
  Shape extends z.ZodObject,
  AxisName extends keyof z.infer<Shape> & string,
>(
  given: Given<Document<Name, Shape>, 'tenant' | 'holds'> & { readonly newestFirst: AxisName },
): History<Name, Shape, AxisName> {
  const { newestFirst, ...rest } = given;
  const sorts = [`${newestFirst}Desc`] as const;
  return { ...rest, kind: 'list', tenant: 'required', filters: {}, windows: {}, sorts, parameters: paging };
}

type WithParameters<Given, P> = Given & { readonly parameters?: P };

export function get<
  const Name extends string,
  Shape extends z.ZodObject,
  const P extends Parameters = Readonly<Record<never, Parameter>>,
>(given: WithParameters<Given<Get<Name, Shape>, 'tenant'>, P>): Get<Name, Shape, P> {
  return { ...given, kind: 'get', tenant: 'required', parameters: given.parameters ?? ({} as P) };
}

export function document<
  const Name extends string,
  Shape extends z.ZodObject,
  const P extends Parameters = Readonly<Record<never, Parameter>>,
>(given: WithParameters<Given<Document<Name, Shape>, never>, P>): Document<Name, Shape, P> {
  return { ...given, kind: 'document', parameters: given.parameters ?? ({} as P) };
}

/** Both bounds belong to the window; null is open. */
export interface Window {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export type FiltersOf<L extends List> = { readonly [Name in keyof L['filters']]?: FilterValues<L['filters'][Name]> };
export type AxisOf<L extends List> = keyof L['windows'] & string;

/** A list asked for from its start. */
export interface ListStart<L extends List = List> {
  readonly cursor: null;
  readonly filters: FiltersOf<L>;
  readonly windows: { readonly [Name in AxisOf<L>]: Window };
  readonly sort: L['sorts'][number];
  readonly limit: number;
}

/** A list continued: everything but the limit is inside the cursor. */
export interface ListContinuation {
  readonly cursor: string;
  readonly limit: number | null;
}

export type InputOf<O extends Operation> = O extends List
  ? ListStart<O> | ListContinuation
  : O extends Get
    ? { readonly id: string } & ValuesOf<O['parameters']>
    : ValuesOf<O['parameters']>;

/** What is absent is left out. */
type ValuesOf<P extends Parameters> = { readonly [Name in keyof P]?: ParameterValue<P[Name]> };

export interface SortKey<AxisName extends string = string> {
  readonly axis: AxisName;
  readonly ascending: boolean;
}

/** `discoveredAtAsc` read as what it says. */
export function sortKey<AxisName extends string>(sort: SortOf<AxisName>): SortKey<AxisName> {
  const ascending = sort.endsWith('Asc');
  return { axis: sort.slice(0, ascending ? -3 : -4) as AxisName, ascending };
}

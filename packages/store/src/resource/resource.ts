import type { FeedName, FilterValues, List, ListAxis } from '@tenantscope/contract';
import pg from 'pg';

/**
 * The storage of a list: its table, and what each filter compares. A filter without a condition, or a condition without a filter, does not
 * compile.
 */
export interface Resource<L extends List = List> {
  /** Its topics determine the watermark. */
  readonly feed: FeedName;
  /** Schema-qualified. */
  readonly table: string;
  /** The column of each axis. */
  readonly axes: { readonly [Axis in ListAxis<L>]: string };
  readonly conditions: {
    readonly [Name in keyof L['filters'] & string]: Condition<FilterValues<L['filters'][Name]>>;
  };
  /** Other names of a record and the id they refer to. */
  readonly aliases?: { readonly table: string; readonly kind: string };
}

/** SQL over the row called `r`, or null for no condition. Also called without values: some conditions hide rows by default. */
export type Condition<Values extends readonly unknown[] = readonly unknown[]> = (
  values: Values | undefined,
) => string | null;

const literal = (value: string | number | boolean): string =>
  typeof value === 'string' ? pg.escapeLiteral(value) : String(value);

const anyOf = (values: readonly (string | number | boolean)[]): string => values.map(literal).join(', ');

/** The column is one of the values, exactly. */
export const equals =
  (column: string): Condition<readonly (string | number | boolean)[]> =>
  (values) =>
    values ? `r.${column} in (${anyOf(values)})` : null;

/** The column holds lower case; letter case of the values does not matter. */
export const equalsIgnoringCase =
  (column: string): Condition<readonly string[]> =>
  (values) =>
    values ? `r.${column} in (${anyOf(values.map((value) => value.toLowerCase()))})` : null;

/** An array column holds one of the values. */
export const containsAny =
  (column: string): Condition<readonly string[]> =>
  (values) =>
    values ? `r.${column} && array[${anyOf(values)}]::text[]` : null;

/** An array column, which holds lower case, holds one of the values in whatever letter case. */
export const containsAnyLowerCase =
  (column: string): Condition<readonly string[]> =>
  (values) =>
    values ? `r.${column} && array[${anyOf(values.map((value) => value.toLowerCase()))}]::text[]` : null;

/** The expression is true, or false, as asked; unknown is neither. */
export const isTrue =
  (expression: string): Condition<readonly boolean[]> =>
  (values) =>
    values ? `(${expression}) in (${anyOf(values)})` : null;

/** Rows for which the expression is false are hidden unless the flag says true. */
export const hiddenUnlessIncluded =
  (expression: string): Condition<readonly boolean[]> =>
  (values) =>
    values?.includes(true) ? null : `(${expression})`;

/** One of the columns, which hold lower case, begins with one of the texts. A range, so that no character of the text is special. */
export const startsWith =
  (...columns: readonly string[]): Condition<readonly string[]> =>
  (values) => {
    if (!values) return null;
    const alternatives = columns.flatMap((column) =>
      values.map((value) => {
        const prefix = value.toLowerCase();
        return `(r.${column} >= ${literal(prefix)} and r.${column} < ${literal(`${prefix}\u{10ffff}`)})`;
      }),
    );
    return `(${alternatives.join(' or ')})`;
  };

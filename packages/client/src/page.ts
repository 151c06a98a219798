import type { Pagination } from './poll-pages.ts';

/** Several values of a filter. */
export type Values<Value extends string> = Value | readonly Value[];

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** `resumeCursor` is null on descending sorts. */
  readonly pagination: Omit<Pagination, 'resumeCursor'> & {
    readonly nextCursor: string | null;
    readonly resumeCursor: string | null;
  };
}

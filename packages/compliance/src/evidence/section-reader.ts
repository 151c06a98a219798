import type { Json, JsonObject } from '@tenantscope/proof';
import type { EvidencePage, EvidencePosition, EvidenceQuery } from '@tenantscope/store/compliance';
import { isObject } from './values/json-object.ts';

export type { EvidencePosition };

/** How the rows of an evidence-pack section are read. Its label, citations and order are in the catalogue. */
export interface SectionReader {
  readonly key: string;
  /** Rows after the position, in the catalogue's order for this section, at most `limit`. */
  read(reading: EvidenceQuery, page: EvidencePage): Promise<SectionPage>;
}

export interface SectionPage {
  /** Each with exactly the catalogue's fields of the section. */
  readonly rows: readonly JsonObject[];
  /** Rows after the position, including those beyond the limit. */
  readonly totalRowCount: number;
  /**
   * State sections: the newest updated_at stamp among the facts in the rows, epoch ms; null without rows and in window
   * sections. Never the current time.
   */
  readonly asOfMs: number | null;
}

/** A term of a catalogue's `orderBy`, such as `eventCount desc` or `subject.id`. */
interface Term {
  readonly path: readonly string[];
  readonly descending: boolean;
}

const parseTerms = (orderBy: string): Term[] =>
  orderBy.split(', ').map((term) => {
    const [path = '', direction] = term.split(' ');
    return { path: path.split('.'), descending: direction === 'desc' };
  });

/** The position of a row: its values in the section's order. */
export function toPosition(row: JsonObject, orderBy: string): EvidencePosition {
  return parseTerms(orderBy).map(({ path }) => valueAt(row, path));
}

/**
 * A page of rows that are all in memory, for sections whose rows are not read in their order. Only for small sections, with
 * one row per FRIA entry, restriction or agent.
 */
export function paginateRows(
  rows: readonly JsonObject[],
  orderBy: string,
  { after, limit }: EvidencePage,
): Pick<SectionPage, 'rows' | 'totalRowCount'> {
  const terms = parseTerms(orderBy);
  const placed = rows
    .map((row) => ({ row, position: toPosition(row, orderBy) }))
    .sort((left, right) => comparePositions(left.position, right.position, terms))
    .filter(({ position }) => after === null || comparePositions(position, after, terms) > 0);
  return { rows: placed.slice(0, limit).map(({ row }) => row), totalRowCount: placed.length };
}

function comparePositions(left: EvidencePosition, right: EvidencePosition, terms: readonly Term[]): number {
  for (const [index, { descending }] of terms.entries()) {
    const [one, other] = [left[index] ?? null, right[index] ?? null];
    if (one === other) continue;
    if (one === null) return 1;
    if (other === null) return -1;
    return descending ? compareValues(other, one) : compareValues(one, other);
  }
  return 0;
}

/** Text by bytes as UTF-8, which is by code points; numbers by value; false before true. */
function compareValues(one: string | number | boolean, other: string | number | boolean): number {
  if (typeof one === 'string' && typeof other === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return Number(one) - Number(other);
}

function valueAt(row: JsonObject, path: readonly string[]): string | number | boolean | null {
  const value = path.reduce<Json>((at, name) => (isObject(at) ? (at[name] ?? null) : null), row);
  if (typeof value === 'object' && value !== null)
    throw new TypeError(`${path.join('.')} is not a value that can be ordered by`);
  return value;
}

/** The newest stamp of the rows. */
export function findNewestStamp(rows: readonly { readonly stampMs: number | null }[]): number | null {
  return rows.reduce<number | null>(
    (newest, { stampMs }) => (stampMs !== null && (newest === null || stampMs > newest) ? stampMs : newest),
    null,
  );
}

import type { Json, JsonObject } from '@tenantscope/proof';
import type { EvidencePage, EvidencePosition, EvidenceReading } from '@tenantscope/store';

/** A section of the evidence pack: how its rows are read. What it is called, cites and how it is ordered stands in the catalogue. */
export interface SectionReader {
  readonly key: string;
  /** Rows after the position, in the catalogue's order for this section, at most `limit`. */
  read(reading: EvidenceReading, page: EvidencePage): Promise<SectionPage>;
}

export interface SectionPage {
  /** Each with exactly the catalogue's fields of the section. */
  readonly rows: readonly JsonObject[];
  /** Rows after the position, those beyond the limit included. */
  readonly totalRowCount: number;
  /**
   * State sections: the newest stamp of our write clock (updated_at) among the facts the rows show, epoch ms; null when there are none, and in
   * window sections. Never the clock.
   */
  readonly asOfMs: number | null;
}

/** A term of a catalogue's `orderBy`, such as `eventCount desc` or `subject.id`. */
interface Term {
  readonly path: readonly string[];
  readonly descending: boolean;
}

const termsOf = (orderBy: string): Term[] =>
  orderBy.split(', ').map((term) => {
    const [path = '', direction] = term.split(' ');
    return { path: path.split('.'), descending: direction === 'desc' };
  });

/** Where a row stands: its values in the section's order. */
export function positionOf(row: JsonObject, orderBy: string): EvidencePosition {
  return termsOf(orderBy).map(({ path }) => valueAt(row, path));
}

/**
 * A page of rows that are all in memory, for sections whose rows are not read in their order. Only for sections that are small by nature: one row a
 * question, a restriction, an agent.
 */
export function pageOf(
  rows: readonly JsonObject[],
  orderBy: string,
  { after, limit }: EvidencePage,
): Pick<SectionPage, 'rows' | 'totalRowCount'> {
  const terms = termsOf(orderBy);
  const placed = rows
    .map((row) => ({ row, position: positionOf(row, orderBy) }))
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
  if (typeof value === 'object' && value !== null) throw new TypeError(`${path.join('.')} is no value to order by`);
  return value;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The newest stamp among what rows were made of. */
export function newestOf(rows: readonly { readonly stampMs: number | null }[]): number | null {
  return rows.reduce<number | null>(
    (newest, { stampMs }) => (stampMs !== null && (newest === null || stampMs > newest) ? stampMs : newest),
    null,
  );
}

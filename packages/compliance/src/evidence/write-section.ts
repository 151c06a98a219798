import { scheduler } from 'node:timers/promises';
import { canonicalize, canonicalizeObject, type JsonObject, sha256Hex } from '@tenantscope/proof';
import type { EvidencePosition, EvidenceQuery } from '@tenantscope/store/compliance';
import type { EvidenceSection } from '../catalogue/evidence.ts';
import { filterByFramework } from './legend.ts';
import { type SectionReader, toPosition } from './section-reader.ts';
import { sectionSources } from './section-sources.ts';
import { toIsoTime } from './values/reported-value.ts';

/** Upper limit of a section's rows, whatever its row cap allows: it bounds the memory of one pack. */
export const sectionMaxBytes = 16 * 1_048_576;

/** After this many rows the event loop gets control again. */
const rowsAtOnce = 250;

export interface WrittenSection {
  readonly key: string;
  readonly frameworks: readonly string[];
  /** RFC 8785. */
  readonly text: string;
  readonly sha256: string;
}

/** A section whose rows were read; its row objects are released, and each row is RFC 8785 text. */
export interface DraftSection {
  readonly section: EvidenceSection;
  readonly rows: readonly string[];
  readonly totalRowCount: number;
  readonly asOfMs: number | null;
  readonly nextCursor: string | null;
}

/** Reads a section. `collect` is called with each row that is kept. */
export async function draftSection(
  section: EvidenceSection,
  reader: SectionReader,
  reading: EvidenceQuery,
  given: {
    readonly after: EvidencePosition | null;
    readonly sealCursor: (after: EvidencePosition) => string;
    readonly collect: ((row: JsonObject) => void) | null;
  },
): Promise<DraftSection> {
  const page = await reader.read(reading, { after: given.after, limit: section.rowCap });
  const rows = await writeRows(page.rows);
  const last = page.rows[rows.length - 1];
  const truncated = page.totalRowCount > rows.length;
  if (truncated && last === undefined) throw new TypeError(`${section.key} has rows but its page is empty`);
  if (given.collect !== null) for (const row of page.rows.slice(0, rows.length)) given.collect(row);
  return {
    section,
    rows,
    totalRowCount: page.totalRowCount,
    asOfMs: page.asOfMs,
    nextCursor: truncated && last ? given.sealCursor(toPosition(last, section.orderBy)) : null,
  };
}

/** Serializes a section, with the digest of its rows and of the whole section. `replace` is applied to each row. */
export async function writeSection(
  { section, rows, totalRowCount, asOfMs, nextCursor }: DraftSection,
  framework: string | null,
  replace: ((row: JsonObject) => JsonObject) | null,
): Promise<WrittenSection> {
  const texts = replace === null ? rows : await replaceRows(rows, replace);
  const { key, label, labelPl, basis, orderBy } = section;
  return serializeSection({
    key,
    label,
    labelPl,
    basis,
    orderBy,
    frameworks: filterByFramework(section.frameworks, framework),
    sources: sectionSources[key] ?? [],
    asOf: basis === 'state' ? toIsoTime(asOfMs) : null,
    totalRowCount,
    nextCursor,
    rows: texts,
  });
}

/** The members of a section; its counts and digests follow from the texts of its rows. */
export async function serializeSection(members: {
  readonly key: string;
  readonly label: string;
  readonly labelPl: string;
  readonly basis: string;
  readonly orderBy: string;
  readonly frameworks: readonly string[];
  readonly sources: readonly string[];
  readonly asOf: string | null;
  readonly totalRowCount: number;
  readonly nextCursor: string | null;
  readonly rows: readonly string[];
}): Promise<WrittenSection> {
  const { rows, ...others } = members;
  const rowsText = `[${rows.join(',')}]`;
  const counted: JsonObject = { ...others, rowCount: rows.length, truncated: others.totalRowCount > rows.length };
  const texts = Object.entries(counted).map(([name, value]) => [name, canonicalize(value)]);
  const text = canonicalizeObject({
    ...Object.fromEntries(texts),
    rows: rowsText,
    sha256: canonicalize(await sha256Hex(rowsText)),
  });
  return { key: members.key, frameworks: members.frameworks, text, sha256: await sha256Hex(text) };
}

/** As many rows as fit, at least one. */
async function writeRows(rows: readonly JsonObject[]): Promise<string[]> {
  const texts: string[] = [];
  let bytes = 2;
  for (const [index, row] of rows.entries()) {
    const text = canonicalize(row);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > sectionMaxBytes && index > 0) break;
    texts.push(text);
    if (index % rowsAtOnce === rowsAtOnce - 1) await scheduler.yield();
  }
  return texts;
}

async function replaceRows(rows: readonly string[], replace: (row: JsonObject) => JsonObject): Promise<string[]> {
  const texts: string[] = [];
  for (const [index, row] of rows.entries()) {
    texts.push(canonicalize(replace(JSON.parse(row))));
    if (index % rowsAtOnce === rowsAtOnce - 1) await scheduler.yield();
  }
  return texts;
}

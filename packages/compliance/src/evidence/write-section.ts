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

/**
 * Reads and serializes a section, with the digest of its rows and of the whole section. Its row objects are released when it
 * returns.
 */
export async function writeSection(
  section: EvidenceSection,
  reader: SectionReader,
  reading: EvidenceQuery,
  given: {
    readonly framework: string | null;
    readonly after: EvidencePosition | null;
    readonly sealCursor: (after: EvidencePosition) => string;
  },
): Promise<WrittenSection> {
  const page = await reader.read(reading, { after: given.after, limit: section.rowCap });
  const rows = await writeRows(page.rows);
  const last = page.rows[rows.count - 1];
  const truncated = page.totalRowCount > rows.count;
  if (truncated && last === undefined) throw new TypeError(`${section.key} has rows but its page is empty`);
  const frameworks = filterByFramework(section.frameworks, given.framework);
  const text = canonicalizeObject({
    key: canonicalize(section.key),
    label: canonicalize(section.label),
    labelPl: canonicalize(section.labelPl),
    basis: canonicalize(section.basis),
    orderBy: canonicalize(section.orderBy),
    frameworks: canonicalize(frameworks),
    sources: canonicalize(sectionSources[section.key] ?? []),
    asOf: canonicalize(section.basis === 'state' ? toIsoTime(page.asOfMs) : null),
    rowCount: canonicalize(rows.count),
    totalRowCount: canonicalize(page.totalRowCount),
    truncated: canonicalize(truncated),
    nextCursor: canonicalize(truncated && last ? given.sealCursor(toPosition(last, section.orderBy)) : null),
    rows: rows.text,
    sha256: canonicalize(await sha256Hex(rows.text)),
  });
  return { key: section.key, frameworks, text, sha256: await sha256Hex(text) };
}

/** As many rows as fit, at least one. */
async function writeRows(rows: readonly JsonObject[]): Promise<{ readonly text: string; readonly count: number }> {
  const texts: string[] = [];
  let bytes = 2;
  for (const [index, row] of rows.entries()) {
    const text = canonicalize(row);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > sectionMaxBytes && index > 0) break;
    texts.push(text);
    if (index % rowsAtOnce === rowsAtOnce - 1) await scheduler.yield();
  }
  return { text: `[${texts.join(',')}]`, count: texts.length };
}

import { scheduler } from 'node:timers/promises';
import { canonical, canonicalObject, type JsonObject, sha256Hex } from '@tenantscope/proof';
import type { EvidencePosition, EvidenceReading } from '@tenantscope/store';
import type { EvidenceSection } from '../catalogue/evidence.ts';
import { idsOfFramework } from './legend.ts';
import { positionOf, type SectionReader } from './section.ts';
import { sectionSources } from './section-sources.ts';
import { toldTime } from './told-value.ts';

/** A section's rows end here at the latest, though its cap allows more: what one pack holds in memory is bounded. */
export const sectionMaxBytes = 16 * 1_048_576;

/** So many rows are written before others get the thread again. */
const rowsAtOnce = 250;

export interface SectionText {
  readonly key: string;
  readonly frameworks: readonly string[];
  /** RFC 8785. */
  readonly text: string;
  readonly sha256: string;
}

/** A section read and written down, with the digest of its rows and that of the whole. Its row objects are gone when it returns. */
export async function sectionText(
  section: EvidenceSection,
  reader: SectionReader,
  reading: EvidenceReading,
  given: {
    readonly framework: string | null;
    readonly after: EvidencePosition | null;
    readonly sealCursor: (after: EvidencePosition) => string;
  },
): Promise<SectionText> {
  const page = await reader.read(reading, { after: given.after, limit: section.rowCap });
  const rows = await writeRows(page.rows);
  const last = page.rows[rows.count - 1];
  const truncated = page.totalRowCount > rows.count;
  if (truncated && last === undefined) throw new TypeError(`${section.key} has rows and shows none`);
  const frameworks = idsOfFramework(section.frameworks, given.framework);
  const text = canonicalObject({
    key: canonical(section.key),
    label: canonical(section.label),
    labelPl: canonical(section.labelPl),
    basis: canonical(section.basis),
    orderBy: canonical(section.orderBy),
    frameworks: canonical(frameworks),
    sources: canonical(sectionSources[section.key] ?? []),
    asOf: canonical(section.basis === 'state' ? toldTime(page.asOfMs) : null),
    rowCount: canonical(rows.count),
    totalRowCount: canonical(page.totalRowCount),
    truncated: canonical(truncated),
    nextCursor: canonical(truncated && last ? given.sealCursor(positionOf(last, section.orderBy)) : null),
    rows: rows.text,
    sha256: canonical(await sha256Hex(rows.text)),
  });
  return { key: section.key, frameworks, text, sha256: await sha256Hex(text) };
}

/** As many rows as fit, at least one. */
async function writeRows(rows: readonly JsonObject[]): Promise<{ readonly text: string; readonly count: number }> {
  const texts: string[] = [];
  let bytes = 2;
  for (const [index, row] of rows.entries()) {
    const text = canonical(row);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > sectionMaxBytes && index > 0) break;
    texts.push(text);
    if (index % rowsAtOnce === rowsAtOnce - 1) await scheduler.yield();
  }
  return { text: `[${texts.join(',')}]`, count: texts.length };
}

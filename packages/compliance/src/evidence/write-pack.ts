import {
  canonicalize,
  canonicalizeObject,
  createIntegrity,
  type ManifestEntry,
  manifestMembers,
  sha256Hex,
} from '@tenantscope/proof';
import {
  type EvidenceQuery,
  readDirectoryPersons,
  readLogHistory,
  readSourceStates,
} from '@tenantscope/store/compliance';
import { readTogether } from '@tenantscope/store/connection';
import { type EvidenceSection, evidenceSections } from '../catalogue/evidence.ts';
import { filterByFramework, listLegend } from './legend.ts';
import { buildMetadata, replaceMetadataTexts } from './pack-metadata.ts';
import { type PackRequest, packType, packVersion } from './pack-request.ts';
import { writeKeySections } from './personal-data/key-section.ts';
import { createPseudonymiser, type Pseudonymiser } from './personal-data/pseudonymiser.ts';
import { sectionReaders } from './section-readers.ts';
import { sectionSources } from './section-sources.ts';
import { assessCoverage, type SourceCoverage } from './source-coverage.ts';
import { type DraftSection, draftSection, type WrittenSection, writeSection } from './write-section.ts';

/**
 * The complete response body, `{"data":pack}`, as RFC 8785 text: `verify` expects this serialisation byte for byte. The
 * sections are read, written and digested one after the other in one transaction, so that they are consistent and never in
 * memory together as objects.
 */
export async function writePack(reading: EvidenceQuery, request: PackRequest): Promise<Buffer> {
  const { pseudonymisation } = request;
  const pseudonymiser =
    pseudonymisation && (await createPseudonymiser(pseudonymisation.secret, await readDirectoryPersons(reading)));
  const sections = await writeSections(reading, request, pseudonymiser);
  const history = await readLogHistory(reading.client, reading.tenantId, reading.storedThroughMs);
  const coverage = await readCoverage(reading, sections, request.generatedAtMs);
  const metadata = buildMetadata(reading, request, { sections, history, coverage });
  const cited = [...sections.flatMap(({ frameworks }) => frameworks), ...metadata.retention.frameworks];
  const members = {
    packType: canonicalize(packType),
    version: canonicalize(packVersion),
    metadata: canonicalize(pseudonymiser ? replaceMetadataTexts(metadata, pseudonymiser.replaceText) : metadata),
    frameworks: canonicalize(listLegend(cited)),
  };
  const keys = await writeKeySections(pseudonymisation, pseudonymiser, metadata);
  const written = [...sections, ...keys];
  const manifest: ManifestEntry[] = [];
  for (const path of manifestMembers) manifest.push({ path, sha256: await sha256Hex(members[path]) });
  for (const { key, sha256 } of written) manifest.push({ path: `sections.${key}`, sha256 });
  const integrity = canonicalize(await createIntegrity(manifest, request.signing));
  const rows = `[${written.map(({ text }) => text).join(',')}]`;
  return Buffer.from(canonicalizeObject({ data: canonicalizeObject({ ...members, integrity, sections: rows }) }));
}

/** They read each interaction. Begun first, they run next to all others: one that is begun last runs alone. */
const isLongest = (key: string): boolean => key === 'activity_summary' || key === 'fria_summary';

/**
 * With pseudonyms every section is read before the first one is written, as text: a person whom only the last one names is
 * replaced in the texts of the first, too.
 */
async function writeSections(
  reading: EvidenceQuery,
  request: PackRequest,
  pseudonymiser: Pseudonymiser | null,
): Promise<WrittenSection[]> {
  const { framework } = request;
  const chosen = evidenceSections.filter((one) => isChosen(one, request));
  const readEach = async <Value>(write: (draft: DraftSection) => Value | Promise<Value>): Promise<Value[]> => {
    const begun = [...chosen.filter(({ key }) => isLongest(key)), ...chosen.filter(({ key }) => !isLongest(key))];
    const values = await readTogether<Value[]>(
      reading.client,
      begun.map((section) => async (client) => {
        request.signal?.throwIfAborted();
        return write(await readDraft(section, { ...reading, client }, request, pseudonymiser));
      }),
    );
    return chosen.map((section) => values[begun.indexOf(section)] as Value);
  };
  if (pseudonymiser === null) return readEach((draft) => writeSection(draft, framework, null));
  const drafts = await readEach((draft) => draft);
  await pseudonymiser.buildIndex();
  const written: WrittenSection[] = [];
  for (const draft of drafts) {
    request.signal?.throwIfAborted();
    written.push(await writeSection(draft, framework, (row) => pseudonymiser.replaceRow(draft.section, row) ?? row));
  }
  return written;
}

function readDraft(
  section: EvidenceSection,
  reading: EvidenceQuery,
  { continued, sealCursor }: PackRequest,
  pseudonymiser: Pseudonymiser | null,
): Promise<DraftSection> {
  const reader = sectionReaders.find(({ key }) => key === section.key);
  if (reader === undefined) throw new TypeError(`no reader for section ${section.key}`);
  return draftSection(section, reader, reading, {
    after: continued?.after ?? null,
    sealCursor: (after) => sealCursor(section.key, after),
    collect: pseudonymiser?.collect ?? null,
  });
}

function isChosen(section: EvidenceSection, { framework, sections, continued }: PackRequest): boolean {
  if (continued !== null && continued.section !== section.key) return false;
  if (sections !== null && !sections.includes(section.key)) return false;
  return filterByFramework(section.frameworks, framework).length > 0;
}

async function readCoverage(
  { client, tenantId }: EvidenceQuery,
  sections: readonly WrittenSection[],
  nowMs: number,
): Promise<SourceCoverage[]> {
  const states = await readSourceStates(client, { tenantId, nowMs });
  const needed = new Set(sections.flatMap(({ key }) => sectionSources[key] ?? []));
  // A read model may have several collectors, and the log has feeds: one of them may be silent while another delivers.
  const parts = Object.keys(states).filter((name) => needed.has(name.split('/', 1)[0] ?? name));
  return [...new Set([...needed, ...parts])].sort().map((source) => assessCoverage(source, states[source], nowMs));
}

import {
  canonicalize,
  canonicalizeObject,
  createIntegrity,
  type ManifestEntry,
  manifestMembers,
  type SigningKey,
  sha256Hex,
} from '@tenantscope/proof';
import {
  type EvidencePosition,
  type EvidenceQuery,
  type LogHistory,
  readLogHistory,
  readSourceStates,
} from '@tenantscope/store/compliance';
import { type EvidenceSection, evidenceSections } from '../catalogue/evidence.ts';
import { catalogueVersion } from '../catalogue/requirement.ts';
import { filterByFramework, listLegend } from './legend.ts';
import { listLimitations } from './limitations.ts';
import { buildRetention } from './retention.ts';
import { sectionReaders } from './section-readers.ts';
import { sectionSources } from './section-sources.ts';
import { assessCoverage, type SourceCoverage } from './source-coverage.ts';
import { toIsoTime } from './values/reported-value.ts';
import { type WrittenSection, writeSection } from './write-section.ts';

export const packType = 'tenantscope.agent_evidence_pack';

/** Version of the generator: it increases when the same facts would be shown differently. */
export const packVersion = '1.0.0';

/** The parameters of a pack. */
export interface PackRequest {
  readonly tenant: {
    readonly id: string;
    readonly name: string;
    readonly azureTenantId: string | null;
    readonly connectedAtMs: number | null;
  };
  /** A framework's key; null for all of them. */
  readonly framework: string | null;
  /** Keys of the requested sections; null for all of them. */
  readonly sections: readonly string[] | null;
  /** One section that continues after a row. */
  readonly continued: { readonly section: string; readonly after: EvidencePosition } | null;
  readonly generatedAtMs: number;
  readonly generatedBy: string;
  readonly serviceVersion: string;
  readonly signing: { readonly key: SigningKey; readonly keysUrl: string } | null;
  /**
   * Creates the cursor that continues a section after this position, with the same window, framework and known-through time.
   */
  sealCursor(section: string, after: EvidencePosition): string;
  /** Reading stops when it aborts. */
  readonly signal?: AbortSignal;
}

/**
 * The complete response body, `{"data":pack}`, as RFC 8785 text: `verify` expects this serialisation byte for byte. The
 * sections are read, written and digested one after the other in one transaction, so that they are consistent and never in
 * memory together as objects.
 */
export async function writePack(reading: EvidenceQuery, request: PackRequest): Promise<Buffer> {
  const chosen = evidenceSections.filter((section) => isChosen(section, request));
  const sections: WrittenSection[] = [];
  for (const section of chosen) {
    request.signal?.throwIfAborted();
    const reader = sectionReaders.find(({ key }) => key === section.key);
    if (reader === undefined) throw new TypeError(`no reader for section ${section.key}`);
    const sealCursor = (after: EvidencePosition) => request.sealCursor(section.key, after);
    const { framework, continued } = request;
    sections.push(
      await writeSection(section, reader, reading, { framework, after: continued?.after ?? null, sealCursor }),
    );
  }
  const history = await readLogHistory(reading.client, reading.tenantId, reading.storedThroughMs);
  const coverage = await readCoverage(reading, sections, request.generatedAtMs);
  const metadata = buildMetadata(reading, request, { sections, history, coverage });
  const cited = [...sections.flatMap(({ frameworks }) => frameworks), ...metadata.retention.frameworks];
  const members = {
    packType: canonicalize(packType),
    version: canonicalize(packVersion),
    metadata: canonicalize(metadata),
    frameworks: canonicalize(listLegend(cited)),
  };
  const manifest: ManifestEntry[] = [];
  for (const path of manifestMembers) manifest.push({ path, sha256: await sha256Hex(members[path]) });
  for (const { key, sha256 } of sections) manifest.push({ path: `sections.${key}`, sha256 });
  const integrity = canonicalize(await createIntegrity(manifest, request.signing));
  const rows = `[${sections.map(({ text }) => text).join(',')}]`;
  return Buffer.from(canonicalizeObject({ data: canonicalizeObject({ ...members, integrity, sections: rows }) }));
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

function buildMetadata(
  reading: EvidenceQuery,
  request: PackRequest,
  facts: {
    readonly sections: readonly WrittenSection[];
    readonly history: LogHistory;
    readonly coverage: readonly SourceCoverage[];
  },
) {
  const { tenant, framework, sections, continued, generatedAtMs } = request;
  const { history, coverage } = facts;
  const [from, to] = [toIsoTime(reading.fromMs), toIsoTime(reading.toMs)];
  return {
    tenantId: tenant.id,
    tenantName: tenant.name.toWellFormed(),
    azureTenantId: tenant.azureTenantId,
    generatedAt: toIsoTime(generatedAtMs),
    generatedBy: request.generatedBy.toWellFormed(),
    coveredFrom: from,
    coveredTo: to,
    timezone: 'UTC',
    catalogueVersion,
    query: { from, to, framework, sections, section: continued?.section ?? null },
    toolVersions: { service: request.serviceVersion, generator: packVersion },
    retention: buildRetention(history, framework, { connectedAtMs: tenant.connectedAtMs, generatedAtMs }),
    sourceStatus: coverage,
    limitations: listLimitations({
      sections: facts.sections.map(({ key }) => key),
      coverage,
      history,
      fromMs: reading.fromMs,
      connectedAtMs: tenant.connectedAtMs,
    }),
  };
}

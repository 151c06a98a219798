import {
  canonical,
  canonicalObject,
  integrityOf,
  type ManifestEntry,
  manifestMembers,
  type SigningKey,
  sha256Hex,
} from '@tenantscope/proof';
import {
  type EvidencePosition,
  type EvidenceReading,
  type LogHistory,
  readLogHistory,
  readSourceStates,
} from '@tenantscope/store';
import { type EvidenceSection, evidenceSections } from '../catalogue/evidence.ts';
import { catalogueVersion } from '../catalogue/requirement.ts';
import { idsOfFramework, legendOf } from './legend.ts';
import { limitationsOf } from './limitation.ts';
import { retentionOf } from './retention.ts';
import { sectionSources } from './section-sources.ts';
import { type SectionText, sectionText } from './section-text.ts';
import { sectionReaders } from './sections.ts';
import { coverageOf, type SourceCoverage } from './source-coverage.ts';
import { toldTime } from './told-value.ts';

export const packType = 'tenantscope.agent_evidence_pack';

/** Of what makes packs: it rises when the same facts would be shown otherwise. */
export const packVersion = '1.0.0';

/** What a pack is made for. */
export interface PackRequest {
  readonly tenant: {
    readonly id: string;
    readonly name: string;
    readonly azureTenantId: string | null;
    readonly connectedAtMs: number | null;
  };
  /** A framework's key; null for all of them. */
  readonly framework: string | null;
  /** Keys of the sections that are left; null for all of them. */
  readonly sections: readonly string[] | null;
  /** One section that goes on behind a row. */
  readonly continued: { readonly section: string; readonly after: EvidencePosition } | null;
  readonly generatedAtMs: number;
  readonly generatedBy: string;
  readonly serviceVersion: string;
  readonly signing: { readonly key: SigningKey; readonly keysUrl: string } | null;
  /** What continues a section behind this place, under the same window, framework and knowledge. */
  sealCursor(section: string, after: EvidencePosition): string;
  /** Nothing more is read once it aborts. */
  readonly hungUp?: AbortSignal;
}

/**
 * The answer's whole body, `{"data":pack}`, in RFC 8785 text: that is the serialisation in which `verify` expects every byte. One section after the other is
 * read, written and digested, in the one transaction of the reading, so that they agree and never stand in memory as objects together.
 */
export async function writePack(reading: EvidenceReading, request: PackRequest): Promise<Buffer> {
  const chosen = evidenceSections.filter((section) => isChosen(section, request));
  const sections: SectionText[] = [];
  for (const section of chosen) {
    request.hungUp?.throwIfAborted();
    const reader = sectionReaders.find(({ key }) => key === section.key);
    if (reader === undefined) throw new TypeError(`nobody reads the section ${section.key}`);
    const sealCursor = (after: EvidencePosition) => request.sealCursor(section.key, after);
    const { framework, continued } = request;
    sections.push(
      await sectionText(section, reader, reading, { framework, after: continued?.after ?? null, sealCursor }),
    );
  }
  const history = await readLogHistory(reading.client, reading.tenantId, reading.knownThroughMs);
  const coverage = await readCoverage(reading, sections, request.generatedAtMs);
  const metadata = metadataOf(reading, request, { sections, history, coverage });
  const cited = [...sections.flatMap(({ frameworks }) => frameworks), ...metadata.retention.frameworks];
  const members = {
    packType: canonical(packType),
    version: canonical(packVersion),
    metadata: canonical(metadata),
    frameworks: canonical(legendOf(cited)),
  };
  const manifest: ManifestEntry[] = [];
  for (const path of manifestMembers) manifest.push({ path, sha256: await sha256Hex(members[path]) });
  for (const { key, sha256 } of sections) manifest.push({ path: `sections.${key}`, sha256 });
  const integrity = canonical(await integrityOf(manifest, request.signing));
  const rows = `[${sections.map(({ text }) => text).join(',')}]`;
  return Buffer.from(canonicalObject({ data: canonicalObject({ ...members, integrity, sections: rows }) }));
}

function isChosen(section: EvidenceSection, { framework, sections, continued }: PackRequest): boolean {
  if (continued !== null && continued.section !== section.key) return false;
  if (sections !== null && !sections.includes(section.key)) return false;
  return idsOfFramework(section.frameworks, framework).length > 0;
}

async function readCoverage(
  { client, tenantId }: EvidenceReading,
  sections: readonly SectionText[],
  nowMs: number,
): Promise<SourceCoverage[]> {
  const states = await readSourceStates(client, { tenantId, nowMs });
  const needed = new Set(sections.flatMap(({ key }) => sectionSources[key] ?? []));
  return [...needed].sort().map((source) => coverageOf(source, states[source]));
}

function metadataOf(
  reading: EvidenceReading,
  request: PackRequest,
  facts: {
    readonly sections: readonly SectionText[];
    readonly history: LogHistory;
    readonly coverage: readonly SourceCoverage[];
  },
) {
  const { tenant, framework, sections, continued, generatedAtMs } = request;
  const { history, coverage } = facts;
  const [from, to] = [toldTime(reading.fromMs), toldTime(reading.toMs)];
  return {
    tenantId: tenant.id,
    tenantName: tenant.name.toWellFormed(),
    azureTenantId: tenant.azureTenantId,
    generatedAt: toldTime(generatedAtMs),
    generatedBy: request.generatedBy.toWellFormed(),
    coveredFrom: from,
    coveredTo: to,
    timezone: 'UTC',
    catalogueVersion,
    query: { from, to, framework, sections, section: continued?.section ?? null },
    toolVersions: { service: request.serviceVersion, generator: packVersion },
    retention: retentionOf(history, framework, { connectedAtMs: tenant.connectedAtMs, generatedAtMs }),
    sourceStatus: coverage,
    limitations: limitationsOf({
      sections: facts.sections.map(({ key }) => key),
      coverage,
      history,
      fromMs: reading.fromMs,
    }),
  };
}

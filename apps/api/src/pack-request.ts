import {
  ApiError,
  cursorWords,
  type EvidenceSectionKey,
  evidenceSectionKeys,
  getAgentEvidencePack,
  type InputOf,
  showTime,
} from '@tenantscope/contract';
import type { EvidencePosition } from '@tenantscope/store';
import type { Cursors } from './cursor.ts';

/** A pack as it was asked for, before anything is read. */
export interface AskedPack {
  readonly fromMs: number;
  readonly toMs: number;
  readonly framework: string | null;
  readonly sections: readonly string[] | null;
  /** Where a truncated section goes on, and how far the first pack knew. */
  readonly continued: {
    readonly section: string;
    readonly after: EvidencePosition;
    readonly knownThroughMs: number;
  } | null;
}

type Input = InputOf<typeof getAgentEvidencePack>;

const defaultDays = 183;
const dayMs = 86_400_000;
/** The first year that every part of the service can write. */
const earliestMs = Date.parse('0001-01-01T00:00:00.000Z');

/** Throws INVALID_PARAMETER, and INVALID_CURSOR for what was not issued here for this tenant or continues another section. */
export function askedPack(input: Input, cursors: Cursors, tenantId: string, settledMs: number): AskedPack {
  const section = input.section === undefined ? null : knownSection(input.section);
  if (input.cursor !== undefined) return continuedPack(input.cursor, section, cursors, tenantId);
  if (section !== null && input.sections !== undefined)
    throw invalid('section', 'goes with cursor, or stands alone; sections names several', evidenceSectionKeys);
  const sections = section === null ? input.sections : [section];
  const toMs = Math.max(earliestMs, Math.min(input.to ?? settledMs, settledMs));
  const fromMs = Math.max(earliestMs, input.from ?? toMs - defaultDays * dayMs);
  if (fromMs > toMs) throw invalid('from', `is later than ${showTime(toMs)}, the newest moment that is complete`);
  return {
    fromMs,
    toMs,
    framework: input.framework ?? null,
    sections: sections === undefined ? null : evidenceSectionKeys.filter((key) => sections.includes(key)),
    continued: null,
  };
}

function continuedPack(text: string, section: string | null, cursors: Cursors, tenantId: string): AskedPack {
  const content = cursors.open(text);
  if (content?.operation !== getAgentEvidencePack.name || content.tenantId !== tenantId)
    throw new ApiError('INVALID_CURSOR', cursorWords);
  if (section !== null && section !== content.sort)
    throw new ApiError(
      'INVALID_CURSOR',
      `The cursor continues the section ${content.sort}. Send section=${content.sort} with it, or the cursor alone.`,
    );
  const { period, known } = content.windows;
  if (!content.after || period?.fromMs == null || period.toMs === null || known?.toMs == null)
    throw new TypeError('a cursor of a pack has a period and a place');
  return {
    fromMs: period.fromMs,
    toMs: period.toMs,
    framework: (content.filters.framework?.[0] as string | undefined) ?? null,
    sections: null,
    continued: { section: content.sort, after: JSON.parse(content.after.id), knownThroughMs: known.toMs },
  };
}

/** What continues a section: everything but the clock, so that the same pack over the same facts has the same cursors. */
export function sealPackCursor(
  cursors: Cursors,
  tenantId: string,
  asked: AskedPack,
  knownThroughMs: number,
): (section: string, after: EvidencePosition) => string {
  return (section, after) =>
    cursors.seal({
      operation: getAgentEvidencePack.name,
      tenantId,
      filters: asked.framework === null ? {} : { framework: [asked.framework] },
      windows: {
        period: { fromMs: asked.fromMs, toMs: asked.toMs },
        known: { fromMs: null, toMs: knownThroughMs },
      },
      sort: section,
      limit: 0,
      after: { atMs: 0, id: JSON.stringify(after) },
    });
}

function knownSection(text: string): EvidenceSectionKey {
  const known = evidenceSectionKeys.find((key) => key === text);
  if (known === undefined) throw invalid('section', 'is not a section of the pack', evidenceSectionKeys);
  return known;
}

function invalid(parameter: 'from' | 'section', reason: string, allowed?: readonly string[]): ApiError {
  const { example } = getAgentEvidencePack.parameters[parameter];
  return new ApiError(
    'INVALID_PARAMETER',
    `The parameter ${parameter} ${reason}. Correct it and repeat the request; details name what is allowed.`,
    [{ parameter, reason, ...(allowed ? { allowed } : {}), example }],
  );
}

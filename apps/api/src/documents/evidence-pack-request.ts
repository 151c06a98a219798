import { randomBytes } from 'node:crypto';
import type { EvidencePosition, Pseudonymisation } from '@tenantscope/compliance';
import {
  ApiError,
  dayMs,
  earliestTimeMs,
  evidenceSectionKeys,
  formatTime,
  getAgentEvidencePack,
  invalidCursorMessage,
  type OperationInput,
} from '@tenantscope/contract';
import { invalidParameter } from '../invalid-parameter.ts';
import type { CursorCodec, CursorContent } from '../records/cursor.ts';

/** The parsed request of a pack, before anything is read. */
export interface EvidencePackRequest {
  readonly fromMs: number;
  readonly toMs: number;
  readonly framework: string | null;
  readonly sections: readonly string[] | null;
  /** The position where a truncated section continues, and the time through which the first pack was complete. */
  readonly continued: {
    readonly section: string;
    readonly after: EvidencePosition;
    readonly storedThroughMs: number;
  } | null;
  readonly pseudonymisation: Pseudonymisation | null;
  readonly isSummary: boolean;
}

type Input = OperationInput<typeof getAgentEvidencePack>;

const defaultDays = 183;

/** Throws INVALID_PARAMETER, and INVALID_CURSOR for a cursor that was not issued for this tenant or continues another section. */
export function parseEvidencePackRequest(
  input: Input,
  cursors: CursorCodec,
  tenantId: string,
  settledMs: number,
): EvidencePackRequest {
  const section = input.section ?? null;
  if (input.cursor !== undefined) return parseContinuation(input, input.cursor, section, cursors, tenantId);
  if (section !== null && input.sections !== undefined)
    throw invalidParameter(
      getAgentEvidencePack,
      'section',
      'cannot be combined with sections; use it alone or with cursor',
      evidenceSectionKeys,
    );
  const sections = section === null ? input.sections : [section];
  const toMs = Math.min(input.to ?? settledMs, settledMs);
  const fromMs = input.from ?? Math.max(earliestTimeMs, toMs - defaultDays * dayMs);
  if (fromMs > toMs)
    throw invalidParameter(getAgentEvidencePack, 'from', `is later than ${formatTime(toMs)}, the latest complete time`);
  return {
    fromMs,
    toMs,
    framework: input.framework ?? null,
    sections: sections === undefined ? null : evidenceSectionKeys.filter((key) => sections.includes(key)),
    continued: null,
    pseudonymisation: parsePseudonymisation(input),
    isSummary: input.view === 'summary',
  };
}

const secretBytes = 32;

/** A recipient of the key implies pseudonyms: a request for them is never answered with names. */
function parsePseudonymisation({ pseudonymise, recipientKey }: Input): Pseudonymisation | null {
  if (pseudonymise?.includes(true) === true || (pseudonymise === undefined && recipientKey !== undefined))
    return { secret: randomBytes(secretBytes), recipientKey: recipientKey ?? null };
  if (recipientKey !== undefined)
    throw invalidParameter(getAgentEvidencePack, 'recipientKey', 'cannot be combined with pseudonymise=false');
  return null;
}

function parseContinuation(
  input: Input,
  text: string,
  section: string | null,
  cursors: CursorCodec,
  tenantId: string,
): EvidencePackRequest {
  const content = cursors.decode(text);
  if (content?.operation !== getAgentEvidencePack.name || content.tenantId !== tenantId)
    throw new ApiError('INVALID_CURSOR', invalidCursorMessage);
  if (section !== null && section !== content.sort)
    throw new ApiError(
      'INVALID_CURSOR',
      `The cursor continues the section ${content.sort}. Send section=${content.sort} with it, or the cursor alone.`,
    );
  const { period, through } = content.windows;
  if (content.after?.id == null || period?.fromMs == null || period.toMs === null || through?.toMs == null)
    throw new TypeError('a pack cursor must have a period and a position');
  const pseudonymisation = readPseudonymisation(content.filters);
  rejectOtherPseudonyms(input, pseudonymisation);
  return {
    fromMs: period.fromMs,
    toMs: period.toMs,
    framework: (content.filters.framework?.[0] as string | undefined) ?? null,
    sections: null,
    pseudonymisation,
    isSummary: content.filters.view !== undefined,
    continued: { section: content.sort, after: JSON.parse(content.after.id), storedThroughMs: through.toMs },
  };
}

/** The pseudonyms of a pack and their recipient are those of its first response. */
function rejectOtherPseudonyms({ pseudonymise, recipientKey }: Input, ofPack: Pseudonymisation | null): void {
  const begin = 'request the pack without a cursor to begin another one';
  if (pseudonymise?.includes(true) === true && ofPack === null)
    throw invalidParameter(getAgentEvidencePack, 'pseudonymise', `cannot be added to a pack with names; ${begin}`);
  if (recipientKey !== undefined && recipientKey !== ofPack?.recipientKey)
    throw invalidParameter(
      getAgentEvidencePack,
      'recipientKey',
      `is not that of the pack that the cursor continues; ${begin}`,
    );
}

type CursorFilters = CursorContent['filters'];

/** Encrypted with the rest of the cursor: a continued section has the pseudonyms of its pack. */
function readPseudonymisation({ secret, recipientKey }: CursorFilters): Pseudonymisation | null {
  if (secret === undefined) return null;
  return {
    secret: Buffer.from(String(secret[0]), 'base64url'),
    recipientKey: recipientKey === undefined ? null : String(recipientKey[0]),
  };
}

function writePseudonymisation(pseudonymisation: Pseudonymisation | null): CursorFilters {
  if (pseudonymisation === null) return {};
  const { secret, recipientKey } = pseudonymisation;
  return { secret: [secret.toString('base64url')], ...(recipientKey === null ? {} : { recipientKey: [recipientKey] }) };
}

/**
 * The cursor holds everything but the current time, so that the same pack over the same facts has the same cursors. With
 * pseudonyms these differ, as the pseudonyms do.
 */
export function createSectionCursorEncoder(
  cursors: CursorCodec,
  tenantId: string,
  request: EvidencePackRequest,
  storedThroughMs: number,
): (section: string, after: EvidencePosition) => string {
  return (section, after) =>
    cursors.encode({
      operation: getAgentEvidencePack.name,
      tenantId,
      filters: {
        ...(request.framework === null ? {} : { framework: [request.framework] }),
        ...(request.isSummary ? { view: ['summary'] } : {}),
        ...writePseudonymisation(request.pseudonymisation),
      },
      // A position may hold the name of a person.
      isPrivate: request.pseudonymisation !== null,
      windows: {
        period: { fromMs: request.fromMs, toMs: request.toMs },
        through: { fromMs: null, toMs: storedThroughMs },
      },
      sort: section,
      limit: 0,
      after: { atMs: 0, id: JSON.stringify(after) },
    });
}

import type { Json, JsonObject } from '@tenantscope/proof';
import { type InstructionChange, readInstructionChanges } from '@tenantscope/store/compliance';
import { maskFreeText } from '../personal-data/mask-personal-data.ts';
import type { SectionReader } from '../section-reader.ts';
import { compareLines } from '../values/line-difference.ts';
import { toCount, toEnumValue, toIsoTime, toText } from '../values/reported-value.ts';

export const instructionChanges: SectionReader = {
  key: 'instruction_changes',
  async read(reading, page) {
    const { rows, totalRowCount } = await readInstructionChanges(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: null };
  },
};

function toRow(change: InstructionChange): JsonObject {
  const { facts } = change;
  const [previousHash, currentHash] = [toText(facts.previousHash), toText(facts.currentHash)];
  const [previousText, currentText] = [toText(facts.previousText), toText(facts.currentText)];
  const changeKind = toEnumValue(
    facts.changeKind,
    ['captured', 'modified', 'removed'],
    previousHash === null ? 'captured' : currentHash === null ? 'removed' : 'modified',
  );
  return {
    agentId: change.agentId,
    agentName: toText(facts.agentName) ?? change.agentName ?? change.agentId,
    observedAt: toIsoTime(change.observedMs),
    previousObservedAt: toIsoTime(facts.previousObservedAt),
    previousHash,
    currentHash,
    changeKind,
    diffSummary: summariseDifference(facts.diffSummary, { changeKind, previousText, currentText }),
    previousText: previousText && maskFreeText(previousText),
    currentText: currentText && maskFreeText(currentText),
    publishedBy: readPublisher(change),
    publishEventId: toText(facts.publishEventId) ?? change.publishEventId,
    review: readReview(change),
  };
}

/** As the producer measured it, else computed from the texts; null where the texts are unknown. */
function summariseDifference(
  reported: unknown,
  texts: { changeKind: string; previousText: string | null; currentText: string | null },
): Json {
  if (typeof reported === 'object' && reported !== null) {
    const { addedLines, removedLines, similarity } = reported as Readonly<Record<string, unknown>>;
    return {
      addedLines: toCount(addedLines),
      removedLines: toCount(removedLines),
      similarity: typeof similarity === 'number' ? similarity : null,
    };
  }
  const { changeKind, previousText, currentText } = texts;
  const before = changeKind === 'captured' ? '' : previousText;
  const after = changeKind === 'removed' ? '' : currentText;
  if (before === null || after === null) return { addedLines: null, removedLines: null, similarity: null };
  return compareLines(before, after);
}

function readPublisher({ facts, publisherId, publisherName }: InstructionChange): Json {
  const reported = facts.publishedBy;
  const { id, name } =
    typeof reported === 'object' && reported !== null ? (reported as Readonly<Record<string, unknown>>) : {};
  const [whoId, whoName] = reported == null ? [publisherId, publisherName] : [toText(id), toText(name)];
  return whoId === null && whoName === null ? null : { id: whoId, name: whoName };
}

function readReview({ facts, reviewedBy, reviewedMs, reviewOutcome }: InstructionChange): Json {
  const reported = facts.review;
  if (typeof reported === 'object' && reported !== null) {
    const review = reported as Readonly<Record<string, unknown>>;
    return {
      reviewedBy: toText(review.reviewedBy),
      reviewedAt: toIsoTime(review.reviewedAt),
      outcome: toText(review.outcome),
    };
  }
  if (reviewedMs === null) return null;
  return { reviewedBy: toText(reviewedBy), reviewedAt: toIsoTime(reviewedMs), outcome: reviewOutcome };
}

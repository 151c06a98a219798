import { maskSecretText } from '@tenantscope/intake';
import type { Json, JsonObject } from '@tenantscope/proof';
import { type InstructionChange, readInstructionChanges } from '@tenantscope/store';
import { differenceOf } from './line-difference.ts';
import type { SectionReader } from './section.ts';
import { toldCount, toldText, toldTime, toldWord } from './told-value.ts';

export const instructionChanges: SectionReader = {
  key: 'instruction_changes',
  async read(reading, page) {
    const { rows, totalRowCount } = await readInstructionChanges(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: null };
  },
};

function rowOf(change: InstructionChange): JsonObject {
  const { facts } = change;
  const [previousHash, currentHash] = [toldText(facts.previousHash), toldText(facts.currentHash)];
  const [previousText, currentText] = [toldText(facts.previousText), toldText(facts.currentText)];
  const changeKind = toldWord(
    facts.changeKind,
    ['captured', 'modified', 'removed'],
    previousHash === null ? 'captured' : currentHash === null ? 'removed' : 'modified',
  );
  return {
    agentId: change.agentId,
    agentName: toldText(facts.agentName) ?? change.agentName ?? change.agentId,
    observedAt: toldTime(change.observedMs),
    previousObservedAt: toldTime(facts.previousObservedAt),
    previousHash,
    currentHash,
    changeKind,
    diffSummary: summaryOf(facts.diffSummary, { changeKind, previousText, currentText }),
    previousText: previousText && maskSecretText(previousText),
    currentText: currentText && maskSecretText(currentText),
    publishedBy: publisherOf(change),
    publishEventId: toldText(facts.publishEventId) ?? change.publishEventId,
    review: reviewOf(change),
  };
}

/** As the producer measured it, else by the texts where they are known; numbers that nobody knows are null. */
function summaryOf(
  told: unknown,
  texts: { changeKind: string; previousText: string | null; currentText: string | null },
): Json {
  if (typeof told === 'object' && told !== null) {
    const { addedLines, removedLines, similarity } = told as Readonly<Record<string, unknown>>;
    return {
      addedLines: toldCount(addedLines),
      removedLines: toldCount(removedLines),
      similarity: typeof similarity === 'number' ? similarity : null,
    };
  }
  const { changeKind, previousText, currentText } = texts;
  const before = changeKind === 'captured' ? '' : previousText;
  const after = changeKind === 'removed' ? '' : currentText;
  if (before === null || after === null) return { addedLines: null, removedLines: null, similarity: null };
  return differenceOf(before, after);
}

function publisherOf({ facts, publisherId, publisherName }: InstructionChange): Json {
  const told = facts.publishedBy;
  const { id, name } = typeof told === 'object' && told !== null ? (told as Readonly<Record<string, unknown>>) : {};
  const [whoId, whoName] = told == null ? [publisherId, publisherName] : [toldText(id), toldText(name)];
  return whoId === null && whoName === null ? null : { id: whoId, name: whoName };
}

function reviewOf({ facts, reviewedBy, reviewedMs, reviewOutcome }: InstructionChange): Json {
  const told = facts.review;
  if (typeof told === 'object' && told !== null) {
    const review = told as Readonly<Record<string, unknown>>;
    return {
      reviewedBy: toldText(review.reviewedBy),
      reviewedAt: toldTime(review.reviewedAt),
      outcome: toldText(review.outcome),
    };
  }
  if (reviewedMs === null) return null;
  return { reviewedBy: toldText(reviewedBy), reviewedAt: toldTime(reviewedMs), outcome: reviewOutcome };
}

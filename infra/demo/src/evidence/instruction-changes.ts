import { createHash } from 'node:crypto';
import type { Agent, Company } from '../company.ts';
import { createNamedState } from '../compliance/compliance-state.ts';
import { type DemoState, formatInstant } from '../demo-state.ts';
import type { AgentHistory, InstructionVersion } from '../inventory/agent-history.ts';
import { derivePick } from '../inventory/file-attributes.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import { createEvidenceState } from './evidence-state.ts';

/** Each version of an agent's instructions, as observed by imports: the first captured, later ones changed; and the reviews. */
export function* generateInstructionChanges(
  company: Company,
  agent: Agent,
  { versions: editions }: AgentHistory,
  endMs: number,
): Generator<DemoState> {
  if (agent.marks.includes('external')) return;
  for (const [index, edition] of editions.entries()) {
    const previous = editions[index - 1] ?? null;
    const id = deriveGuid(agent.id, 'instructions', String(index));
    yield createEvidenceState('instructionChange', id, edition.observedMs, createChange(agent, edition, previous));
    const isLookedAt = deriveNumber(10, id, 'reviewed') < company.plan.compliance.reviewedOfTen;
    const reviewedMs = edition.observedMs + (1 + deriveNumber(9, id, 'review')) * 86_400_000;
    if (previous !== null && isLookedAt && reviewedMs < endMs) yield createReview(company, id, reviewedMs);
  }
}

function createChange(agent: Agent, { text, observedMs }: InstructionVersion, previous: InstructionVersion | null) {
  return {
    agentId: agent.id,
    agentName: agent.name,
    occurredAt: formatInstant(observedMs),
    changeKind: previous === null ? 'captured' : 'modified',
    currentHash: computeHash(text),
    currentText: text,
    previousHash: previous && computeHash(previous.text),
    previousText: previous?.text ?? null,
    // Imports come daily; the last before this one still saw the old text.
    previousObservedAt: previous && formatInstant(Math.max(previous.observedMs, observedMs - 86_400_000)),
    publishedBy: { id: agent.creator.id, name: agent.creator.displayName },
  };
}

function createReview(company: Company, changeId: string, atMs: number): DemoState {
  return createNamedState('decision', deriveGuid(changeId, 'review'), atMs, {
    subject: { type: 'instructionChange', id: changeId },
    outcome: 'reviewed',
    by: derivePick(company.admins, changeId, 'reviewer').displayName,
    at: formatInstant(atMs),
  });
}

function computeHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

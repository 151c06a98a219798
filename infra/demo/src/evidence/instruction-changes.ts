import { createHash } from 'node:crypto';
import { guidOf, numberOf } from '../chance.ts';
import type { Agent, Company } from '../company.ts';
import { namedState } from '../compliance/compliance-state.ts';
import { type DemoState, shown } from '../demo-state.ts';
import type { AgentLife, Edition } from '../estate/agent-life.ts';
import { one } from '../estate/file-facts.ts';
import { evidenceState } from './evidence-state.ts';

/** Each edition of what an agent is told, as imports saw it: the first captured, later ones changed; and who looked at a change. */
export function* instructionChanges(
  company: Company,
  agent: Agent,
  { editions }: AgentLife,
  endMs: number,
): Generator<DemoState> {
  if (agent.marks.includes('external')) return;
  for (const [index, edition] of editions.entries()) {
    const previous = editions[index - 1] ?? null;
    const id = guidOf(agent.id, 'instructions', String(index));
    yield evidenceState('instructionChange', id, edition.observedMs, changeOf(agent, edition, previous));
    const isLookedAt = numberOf(10, id, 'reviewed') < company.plan.compliance.reviewedOfTen;
    const reviewedMs = edition.observedMs + (1 + numberOf(9, id, 'review')) * 86_400_000;
    if (previous !== null && isLookedAt && reviewedMs < endMs) yield reviewed(company, id, reviewedMs);
  }
}

function changeOf(agent: Agent, { text, observedMs }: Edition, previous: Edition | null) {
  return {
    agentId: agent.id,
    agentName: agent.name,
    occurredAt: shown(observedMs),
    changeKind: previous === null ? 'captured' : 'modified',
    currentHash: hashOf(text),
    currentText: text,
    previousHash: previous && hashOf(previous.text),
    previousText: previous?.text ?? null,
    // Imports come daily; the last before this one still saw the old text.
    previousObservedAt: previous && shown(Math.max(previous.observedMs, observedMs - 86_400_000)),
    publishedBy: { id: agent.creator.id, name: agent.creator.displayName },
  };
}

function reviewed(company: Company, changeId: string, atMs: number): DemoState {
  return namedState('decision', guidOf(changeId, 'review'), atMs, {
    subject: { type: 'instructionChange', id: changeId },
    outcome: 'reviewed',
    by: one(company.admins, changeId, 'reviewer').displayName,
    at: shown(atMs),
  });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

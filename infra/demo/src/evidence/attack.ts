import { type Agent, type Company, findPerson } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { formatInstant } from '../demo-state.ts';
import { deriveGuid } from '../random.ts';
import { createEvidenceState } from './evidence-state.ts';
import { createLifecycleEvent } from './lifecycle.ts';

/** The attack on the agent: the intruder's changes and the attempts until it was blocked. Minutes are relative to the storyline. */
export function* generateAttackEvidence(company: Company, agent: Agent, storylineMs: number): Generator<DemoState> {
  const at = (minutes: number) => storylineMs + minutes * 60_000;
  const second = findPerson(company.employees, 'Casper Dahl');
  yield createLifecycleEvent(agent, 'share', at(143), agent.creator);
  yield createLifecycleEvent(agent, 'deploy', at(147), second);
  for (const [flag, minutes, outcome] of threats) {
    yield createEvidenceState('threatEvent', deriveGuid(agent.id, flag, String(minutes)), at(minutes), {
      agentId: agent.id,
      agentName: agent.name,
      occurredAt: formatInstant(at(minutes)),
      flag,
      outcome,
      interactionId: deriveGuid(agent.id, 'interaction', String(minutes)),
      actor: { id: agent.creator.id, name: agent.creator.displayName, type: 'user' },
      severity: 'high',
    });
  }
  yield createLifecycleEvent(agent, 'block', at(195), company.admins[0] ?? second);
}

const threats = [
  ['jailbreak', 152, 'detected'],
  ['jailbreak', 156, 'detected'],
  ['xpia', 166, 'blocked'],
  ['policyBlock', 170, 'blocked'],
] as const;

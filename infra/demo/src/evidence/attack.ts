import { guidOf } from '../chance.ts';
import { type Agent, type Company, personNamed } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { shown } from '../demo-state.ts';
import { evidenceState } from './evidence-state.ts';
import { lifecycleEvent } from './lifecycle.ts';

/** What the intruder did to the agent, and what was tried with it until it was stopped. The minutes are those of the storyline. */
export function* attack(company: Company, agent: Agent, storyMs: number): Generator<DemoState> {
  const at = (minutes: number) => storyMs + minutes * 60_000;
  const second = personNamed(company.people, 'Casper Dahl');
  yield lifecycleEvent(agent, 'share', at(143), agent.creator);
  yield lifecycleEvent(agent, 'deploy', at(147), second);
  for (const [flag, minutes, outcome] of threats) {
    yield evidenceState('threatEvent', guidOf(agent.id, flag, String(minutes)), at(minutes), {
      agentId: agent.id,
      agentName: agent.name,
      occurredAt: shown(at(minutes)),
      flag,
      outcome,
      interactionId: guidOf(agent.id, 'interaction', String(minutes)),
      actor: { id: agent.creator.id, name: agent.creator.displayName, type: 'user' },
      severity: 'high',
    });
  }
  yield lifecycleEvent(agent, 'block', at(195), company.admins[0] ?? second);
}

const threats = [
  ['jailbreak', 152, 'detected'],
  ['jailbreak', 156, 'detected'],
  ['xpia', 166, 'blocked'],
  ['policyBlock', 170, 'blocked'],
] as const;

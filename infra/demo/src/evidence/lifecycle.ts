import { guidOf } from '../chance.ts';
import type { Agent, Company, Person } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { shown } from '../demo-state.ts';
import type { AgentLife } from '../estate/agent-life.ts';
import { evidenceState } from './evidence-state.ts';

export type LifecycleEvent = 'create' | 'publish' | 'share' | 'deploy' | 'block';

/** Where an event is done, and what the suite calls it. */
const operations: Record<LifecycleEvent, readonly [operation: string, source: string]> = {
  create: ['BotCreate', 'powerPlatform'],
  publish: ['BotUpdateOperation-BotPublish', 'powerPlatform'],
  share: ['BotUpdateOperation-BotShare', 'powerPlatform'],
  deploy: ['DeployedAgent', 'microsoft365AdminCenter'],
  block: ['BlockedAgent', 'microsoft365AdminCenter'],
};

/** From its making on. Of what others made outside, only that it was deployed is known. */
export function* lifecycle(company: Company, agent: Agent, life: AgentLife): Generator<DemoState> {
  const { createdMs, publishedMs, editions } = life;
  const isOwn = !agent.marks.includes('external');
  const say = (event: LifecycleEvent, atMs: number, actor = agent.creator) => lifecycleEvent(agent, event, atMs, actor);
  if (isOwn) yield say('create', createdMs);
  if (isOwn && publishedMs !== null) yield say('publish', publishedMs);
  if (isOwn) for (const edition of editions.slice(1)) yield say('publish', edition.publishedMs);
  if (publishedMs !== null && agent.marks.includes('wide'))
    yield say('deploy', publishedMs + 2 * dayMs, company.admins[0]);
}

export function lifecycleEvent(agent: Agent, event: LifecycleEvent, atMs: number, actor: Person): DemoState {
  const [operation, source] = operations[event];
  const id = guidOf(agent.id, event, String(atMs));
  return evidenceState('agentLifecycle', id, atMs, {
    agentId: agent.id,
    agentName: agent.name,
    occurredAt: shown(atMs),
    event,
    operation,
    externalEventId: guidOf(id, 'audit record'),
    actorId: actor.id,
    actorName: actor.displayName,
    actorType: 'user',
    source,
    details: event === 'deploy' || event === 'block' ? { forAllUsers: true } : {},
    result: 'success',
  });
}

const dayMs = 86_400_000;

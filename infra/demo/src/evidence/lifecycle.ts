import type { Agent, Company, Person } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { formatInstant } from '../demo-state.ts';
import type { AgentHistory } from '../inventory/agent-history.ts';
import { deriveGuid } from '../random.ts';
import { createEvidenceState } from './evidence-state.ts';

export type LifecycleEvent = 'create' | 'publish' | 'share' | 'deploy' | 'block';

/** The operation name and the source of an event. */
const operations: Record<LifecycleEvent, readonly [operation: string, source: string]> = {
  create: ['BotCreate', 'powerPlatform'],
  publish: ['BotUpdateOperation-BotPublish', 'powerPlatform'],
  share: ['BotUpdateOperation-BotShare', 'powerPlatform'],
  deploy: ['DeployedAgent', 'microsoft365AdminCenter'],
  block: ['BlockedAgent', 'microsoft365AdminCenter'],
};

/** The lifecycle from creation on. For external agents only the deployment is recorded. */
export function* generateLifecycle(company: Company, agent: Agent, history: AgentHistory): Generator<DemoState> {
  const { createdMs, publishedMs, versions } = history;
  const isOwn = !agent.marks.includes('external');
  const createEvent = (event: LifecycleEvent, atMs: number, actor = agent.creator) =>
    createLifecycleEvent(agent, event, atMs, actor);
  if (isOwn) yield createEvent('create', createdMs);
  if (isOwn && publishedMs !== null) yield createEvent('publish', publishedMs);
  if (isOwn) for (const version of versions.slice(1)) yield createEvent('publish', version.publishedMs);
  if (publishedMs !== null && agent.marks.includes('wide'))
    yield createEvent('deploy', publishedMs + 2 * dayMs, company.admins[0]);
}

export function createLifecycleEvent(agent: Agent, event: LifecycleEvent, atMs: number, actor: Person): DemoState {
  const [operation, source] = operations[event];
  const id = deriveGuid(agent.id, event, String(atMs));
  return createEvidenceState('agentLifecycle', id, atMs, {
    agentId: agent.id,
    agentName: agent.name,
    occurredAt: formatInstant(atMs),
    event,
    operation,
    externalEventId: deriveGuid(id, 'audit record'),
    actorId: actor.id,
    actorName: actor.displayName,
    actorType: 'user',
    source,
    details: event === 'deploy' || event === 'block' ? { forAllUsers: true } : {},
    result: 'success',
  });
}

const dayMs = 86_400_000;

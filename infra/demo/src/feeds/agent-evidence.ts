import { guidOf, numberOf } from '../chance.ts';
import type { Agent, Company } from '../company.ts';
import { type DemoState, shown } from '../demo-state.ts';
import { isBroken, permissionsOf } from '../estate/agents.ts';
import { filesWith, one, restrictionOf } from '../estate/file-facts.ts';
import { infoTypesOf } from '../info-types.ts';

/** What became of each agent, what it may do, what attacked it, and which kinds of content were closed to AI. */
export function* agentEvidence(company: Company, endMs: number, storyMs: number): Generator<DemoState> {
  for (const agent of company.agents) {
    const lifeMs = endMs - (40 + numberOf(300, agent.id, 'life')) * dayMs;
    yield lifecycle(company, agent, 'create', lifeMs);
    if (!agent.marks.includes('draft')) yield lifecycle(company, agent, 'publish', lifeMs + 3 * dayMs);
    if (agent.marks.includes('wide')) yield lifecycle(company, agent, 'deploy', lifeMs + 5 * dayMs);
    for (const permission of permissionsOf(agent)) yield permissionGrant(company, agent, permission, lifeMs);
    if (isBroken(company, agent)) yield* breaking(company, agent, storyMs);
  }
  yield* restrictions(company, endMs);
}

function evidence(kind: string, id: string, atMs: number, fields: Record<string, unknown>): DemoState {
  return { topic: 'agentEvidence', kind, id, changedAtMs: atMs, fields };
}

function lifecycle(company: Company, agent: Agent, event: string, atMs: number, actor = agent.creator): DemoState {
  return evidence('agentLifecycle', guidOf(agent.id, event, String(atMs)), atMs, {
    agentId: agent.id,
    agentName: agent.name,
    occurredAt: shown(atMs),
    event,
    actorId: actor.id,
    actorName: actor.displayName,
    source: event === 'deploy' || event === 'block' ? 'microsoft365AdminCenter' : 'powerPlatform',
    result: 'success',
    tenantName: company.plan.name,
  });
}

function permissionGrant(
  company: Company,
  agent: Agent,
  permission: ReturnType<typeof permissionsOf>[number],
  atMs: number,
): DemoState {
  const consenter = one(company.admins, agent.id, permission.value);
  return evidence('permissionGrant', guidOf(agent.id, permission.value), atMs, {
    agentId: agent.id,
    agentName: agent.name,
    value: permission.value,
    permissionKind: permission.kind,
    source: permission.source,
    resourceName: permission.resource,
    consentType: permission.tenantWide ? 'allPrincipals' : 'principal',
    adminConsented: permission.adminConsented,
    consentedBy: permission.adminConsented ? { userId: consenter.id, name: consenter.displayName } : null,
    consentedAt: shown(atMs),
    tenantWide: permission.tenantWide,
    writeAccess: permission.write,
    sensitivity: permission.tenantWide ? 'high' : 'low',
  });
}

/** The minutes are those of the storyline. */
function* breaking(company: Company, agent: Agent, storyMs: number): Generator<DemoState> {
  const at = (minutes: number) => storyMs + minutes * 60_000;
  yield evidence('instructionChange', guidOf(agent.id, 'instructions'), at(140), {
    agentId: agent.id,
    occurredAt: shown(at(140)),
    previousHash: guidOf(agent.id, 'before').replaceAll('-', ''),
    currentHash: guidOf(agent.id, 'after').replaceAll('-', ''),
    changeKind: 'modified',
    publishedBy: { id: agent.creator.id, name: agent.creator.displayName },
  });
  yield lifecycle(company, agent, 'share', at(143));
  yield lifecycle(company, agent, 'publish', at(145));
  yield lifecycle(
    company,
    agent,
    'deploy',
    at(147),
    company.people.find(({ displayName }) => displayName === 'Casper Dahl'),
  );
  for (const [flag, minutes, outcome] of [
    ['jailbreak', 152, 'detected'],
    ['jailbreak', 156, 'detected'],
    ['xpia', 166, 'blocked'],
  ] as const) {
    yield evidence('threatEvent', guidOf(agent.id, flag, String(minutes)), at(minutes), {
      agentId: agent.id,
      agentName: agent.name,
      occurredAt: shown(at(minutes)),
      flag,
      outcome,
      interactionId: guidOf(agent.id, 'interaction', String(minutes)),
      severity: 'high',
    });
  }
  yield lifecycle(company, agent, 'block', at(195), company.admins[0]);
}

function* restrictions(company: Company, endMs: number): Generator<DemoState> {
  for (const type of infoTypesOf(company.plan)) {
    const level = restrictionOf(type);
    if (level === 'none') continue;
    const id = guidOf(company.plan.azureTenantId, 'restriction', type.id);
    const declarer = one(company.admins, type.id, 'declared');
    const declaredMs = endMs - (20 + numberOf(40, type.id, 'declared')) * dayMs;
    const dataType = { id: type.id, name: type.name };
    const declaredBy = { id: declarer.id, name: declarer.displayName };
    yield evidence('restriction', id, declaredMs, {
      dataType,
      level,
      declaredBy,
      declaredAt: shown(declaredMs),
      reason: 'Policy on data and AI',
      exposure: { files: filesWith(company, type).length, computedAt: shown(declaredMs) },
    });
    yield evidence('restrictionEvent', guidOf(id, 'declare'), declaredMs, {
      restrictionId: id,
      dataType,
      event: 'declare',
      occurredAt: shown(declaredMs),
      actor: declaredBy,
      fromLevel: null,
      toLevel: level,
    });
  }
}

const dayMs = 86_400_000;

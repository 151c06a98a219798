import { type Company, personNamed } from '../company.ts';
import type { AttestationPlan, DecisionPlan } from '../compliance-plan.ts';
import { type DemoState, shown } from '../demo-state.ts';
import { firstPartyId } from '../estate/apps.ts';
import { infoTypesOf } from '../info-types.ts';
import { firstParty } from '../records/first-party.ts';
import { complianceState, dayMs } from './compliance-state.ts';

/** What people put down about their company: laws that apply, duties attested, things decided and classified. */
export function* declarations(company: Company, endMs: number): Generator<DemoState> {
  const { frameworks, facts, attestations, decisions, riskClasses } = company.plan.compliance;
  const begunMs = endMs - 75 * dayMs;
  for (const [framework, selected] of Object.entries(frameworks))
    yield complianceState(company, 'frameworkSelection', [framework], begunMs, { framework, selected });
  for (const [key, value] of Object.entries(facts))
    yield complianceState(company, 'tenantFact', [key], begunMs, { key, value });
  for (const attestation of attestations) yield attested(company, attestation, endMs);
  for (const decision of decisions) yield decided(company, decision, endMs);
  for (const [name, riskClass] of riskClasses)
    yield complianceState(company, 'riskClass', [name], begunMs, {
      subject: { type: 'agent', id: agentId(company, name) },
      class: riskClass,
    });
}

function attested(company: Company, plan: AttestationPlan, endMs: number): DemoState {
  const { duty, verdict, by, daysAgo, holdsDays = null, because, evidence, agent, complaintChannel } = plan;
  const atMs = endMs - daysAgo * dayMs;
  return complianceState(company, 'attestation', [duty, agent ?? ''], atMs, {
    requirementKey: duty,
    subject: agent === undefined ? null : { type: 'agent', id: agentId(company, agent) },
    verdict,
    justification: because ?? null,
    attestedBy: personNamed(company.people, by).userPrincipalName,
    attestedAt: shown(atMs),
    validUntil: holdsDays === null ? null : shown(atMs + holdsDays * dayMs),
    evidenceRefs: evidence ?? [],
    ...(complaintChannel === undefined ? {} : { complaintChannel }),
  });
}

function decided(company: Company, plan: DecisionPlan, endMs: number): DemoState {
  const { about, name, outcome, by, daysAgo, purpose, data, groups } = plan;
  const atMs = endMs - daysAgo * dayMs;
  return complianceState(company, 'decision', [about, name], atMs, {
    subject: { type: about, id: idOf(company, about, name) },
    outcome,
    by: personNamed(company.people, by).displayName,
    at: shown(atMs),
    purpose: purpose ?? null,
    dataCategories: data ?? null,
    ...(groups === undefined ? {} : { declaredGroups: groups }),
  });
}

/** Of something that a plan calls by its name. */
export function idOf(company: Company, type: DecisionPlan['about'], name: string): string {
  if (type === 'agent') return agentId(company, name);
  const id =
    type === 'app'
      ? appsOf(company).find((app) => app.name === name)?.id
      : infoTypesOf(company.plan).find((infoType) => infoType.name === name)?.id;
  return id ?? missing(name);
}

function agentId({ agents }: Company, name: string): string {
  return agents.find((agent) => agent.name === name)?.id ?? missing(name);
}

function appsOf(company: Company): { id: string; name: string }[] {
  return [
    ...company.apps.map(({ servicePrincipalId: id, name }) => ({ id, name })),
    ...Object.values(firstParty).map((app) => ({ id: firstPartyId(company, app), name: app.name })),
  ];
}

function missing(name: string): never {
  throw new Error(`the company has nothing called ${name}`);
}

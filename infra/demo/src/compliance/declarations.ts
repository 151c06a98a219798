import { type Company, findPerson } from '../company.ts';
import type { AttestationPlan, DecisionPlan, ExceptionPlan } from '../compliance-plan.ts';
import { type DemoState, formatInstant } from '../demo-state.ts';
import { listInfoTypes } from '../info-types.ts';
import { deriveFirstPartyId } from '../inventory/apps.ts';
import { firstParty } from '../records/first-party.ts';
import { createComplianceState, dayMs } from './compliance-state.ts';

/** The declarations of a company: applicable laws, attestations, decisions and classifications. */
export function* generateDeclarations(company: Company, endMs: number): Generator<DemoState> {
  const { frameworks, facts, attestations, exceptions, decisions, riskClasses } = company.plan.compliance;
  const begunMs = endMs - 75 * dayMs;
  for (const [framework, selected] of Object.entries(frameworks))
    yield createComplianceState(company, 'frameworkSelection', [framework], begunMs, { framework, selected });
  for (const [key, value] of Object.entries(facts))
    yield createComplianceState(company, 'tenantFact', [key], begunMs, { key, value });
  for (const attestation of attestations) yield createAttestation(company, attestation, endMs);
  for (const exception of exceptions) yield createException(company, exception, endMs);
  for (const decision of decisions) yield createDecision(company, decision, endMs);
  for (const [name, riskClass] of riskClasses)
    yield createComplianceState(company, 'riskClass', [name], begunMs, {
      subject: { type: 'agent', id: agentId(company, name) },
      class: riskClass,
    });
}

function createAttestation(company: Company, plan: AttestationPlan, endMs: number): DemoState {
  const { duty, verdict, by, daysAgo, validDays = null, because, evidence, agent, complaintChannel } = plan;
  const atMs = endMs - daysAgo * dayMs;
  return createComplianceState(company, 'attestation', [duty, agent ?? ''], atMs, {
    requirementKey: duty,
    subject: agent === undefined ? null : { type: 'agent', id: agentId(company, agent) },
    verdict,
    justification: because ?? null,
    attestedBy: findPerson(company.employees, by).userPrincipalName,
    attestedAt: formatInstant(atMs),
    validUntil: validDays === null ? null : formatInstant(atMs + validDays * dayMs),
    evidenceRefs: evidence ?? [],
    ...(complaintChannel === undefined ? {} : { complaintChannel }),
  });
}

function createException(company: Company, plan: ExceptionPlan, endMs: number): DemoState {
  const { requirement, of, because, by, daysAgo, validDays, evidence, withdrawn } = plan;
  const atMs = endMs - daysAgo * dayMs;
  const withdrawnMs = withdrawn && endMs - withdrawn.daysAgo * dayMs;
  const names = [requirement, 'app' in of ? of.app : of.name];
  return createComplianceState(company, 'exception', names, withdrawnMs ?? atMs, {
    requirementKey: requirement,
    subjectIds: 'app' in of ? [resolveId(company, 'app', of.app)] : null,
    query: 'app' in of ? null : { subjectName: of.name },
    reason: because,
    approvedBy: findPerson(company.employees, by).displayName,
    validFrom: formatInstant(atMs),
    validUntil: formatInstant(atMs + validDays * dayMs),
    evidenceRefs: evidence ?? [],
    ...(withdrawn === undefined
      ? {}
      : {
          withdrawnAt: formatInstant(withdrawnMs ?? atMs),
          withdrawnBy: findPerson(company.employees, withdrawn.by).displayName,
          withdrawalReason: withdrawn.because,
        }),
  });
}

function createDecision(company: Company, plan: DecisionPlan, endMs: number): DemoState {
  const { about, name, outcome, by, daysAgo, purpose, data, groups } = plan;
  const atMs = endMs - daysAgo * dayMs;
  return createComplianceState(company, 'decision', [about, name], atMs, {
    subject: { type: about, id: resolveId(company, about, name) },
    outcome,
    by: findPerson(company.employees, by).displayName,
    at: formatInstant(atMs),
    purpose: purpose ?? null,
    dataCategories: data ?? null,
    ...(groups === undefined ? {} : { declaredGroups: groups }),
  });
}

/** The id of an object that the plan refers to by name. */
export function resolveId(company: Company, type: DecisionPlan['about'], name: string): string {
  if (type === 'agent') return agentId(company, name);
  const id =
    type === 'app'
      ? listApps(company).find((app) => app.name === name)?.id
      : listInfoTypes(company.plan).find((infoType) => infoType.name === name)?.id;
  return id ?? missing(name);
}

function agentId({ agents }: Company, name: string): string {
  return agents.find((agent) => agent.name === name)?.id ?? missing(name);
}

function listApps(company: Company): { id: string; name: string }[] {
  return [
    ...company.apps.map(({ servicePrincipalId: id, name }) => ({ id, name })),
    ...Object.values(firstParty).map((app) => ({ id: deriveFirstPartyId(company, app), name: app.name })),
  ];
}

function missing(name: string): never {
  throw new Error(`the company has nothing called ${name}`);
}

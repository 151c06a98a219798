import { type Agent, type App, type Company, type File, findPerson, type Person } from '../company.ts';
import { deriveGuid } from '../random.ts';
import type { Target } from '../records/directory.ts';
import type { Lure } from '../records/threats.ts';

/** The people and objects of the account takeover. */
export interface Participants {
  /** Whose account the intruder takes over. */
  readonly victim: Person;
  /** The administrator whose session the intruder steals next. */
  readonly second: Person;
  readonly responder: Person;
  readonly colleagues: readonly Person[];
  readonly agent: Agent;
  readonly harvester: App | undefined;
  readonly consentedApp: Target;
  /** The local part of the victim's address. */
  readonly account: string | undefined;
  readonly stolenFiles: readonly File[];
}

export function findParticipants(company: Company): Participants {
  const victim = findPerson(company.employees, 'Teun Verhagen');
  const agent = company.agents.find(({ creator }) => creator === victim);
  if (!agent) throw new Error('the storyline needs an agent of the victim');
  const harvester = company.apps.find(({ name }) => name === 'NoteHarvest AI');
  return {
    victim,
    second: findPerson(company.employees, 'Casper Dahl'),
    responder: findPerson(company.employees, 'Sybren Hoekstra'),
    colleagues: company.employees.filter((person) => person !== victim && !person.isAdmin),
    agent,
    harvester,
    consentedApp: {
      objectId: harvester?.servicePrincipalId ?? agent.servicePrincipalId,
      type: 'ServicePrincipal',
      name: harvester?.name ?? agent.name,
    },
    account: victim.userPrincipalName.split('@')[0],
    stolenFiles: company.files.filter(({ site, label }) => site.name === 'Finance' || label === 'Highly Confidential'),
  };
}

/** The mail that the takeover starts with. */
export function createPhishingMail({ plan }: Company): Lure {
  return {
    sender: 'billing@quillb0ard.test',
    senderIp: '203.0.113.9',
    subject: 'Your invoice could not be paid',
    networkMessageId: deriveGuid(plan.azureTenantId, 'phishing mail'),
  };
}

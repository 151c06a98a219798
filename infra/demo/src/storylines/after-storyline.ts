import type { Company, Person } from '../company.ts';
import { memoize } from '../memoize.ts';
import { storylineStartMs } from './storyline-start.ts';

/** Whether the person is the victim of the account takeover, whose account was disabled. */
export function isTakeoverVictim({ plan }: Company, { displayName }: Person): boolean {
  return plan.storyline === 'account takeover' && displayName === 'Teun Verhagen';
}

/** When the victim's account was disabled and the agent blocked. */
export function victimDisabledMs(company: Company, endMs: number): number {
  return storylineStartMs(company, endMs) + 197 * 60_000;
}

/** The company after its storyline: without the disabled account and the agents that it created. */
export const createRemainingCompany = memoize((company: Company): Company => {
  const isOut = (person: Person) => isTakeoverVictim(company, person);
  return {
    ...company,
    employees: company.employees.filter((person) => !isOut(person)),
    agents: company.agents.filter(({ creator }) => !isOut(creator)),
  };
});

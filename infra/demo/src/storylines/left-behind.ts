import type { Company, Person } from '../company.ts';
import { remembered } from '../remembered.ts';
import { storylineStartMs } from './storyline-start.ts';

/** The victim of the takeover; the account was disabled that day. */
export function wasTakenOver({ plan }: Company, { displayName }: Person): boolean {
  return plan.storyline === 'account takeover' && displayName === 'Teun Verhagen';
}

/** When the taken account was disabled and its agent blocked. */
export function disabledMs(company: Company, endMs: number): number {
  return storylineStartMs(company, endMs) + 197 * 60_000;
}

/** A company as it goes on after its storyline: whose account was disabled does nothing more, nor do the agents they made. */
export const leftBehind = remembered((company: Company): Company => {
  const isOut = (person: Person) => wasTakenOver(company, person);
  return {
    ...company,
    people: company.people.filter((person) => !isOut(person)),
    agents: company.agents.filter(({ creator }) => !isOut(creator)),
  };
});

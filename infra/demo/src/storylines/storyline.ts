import { timestampPrecisionMs } from '../activity-catalogue.ts';
import { chooseActor } from '../choose-actor.ts';
import type { Company } from '../company.ts';
import type { CompanyPlan } from '../company-plan.ts';
import type { DemoRecord } from '../demo-record.ts';
import type { Random } from '../random.ts';
import { createAccountTakeover } from './account-takeover.ts';
import { createCarelessSharing } from './careless-sharing.ts';
import { createPasswordSpray } from './password-spray.ts';
import type { StorylineEvent } from './storyline-event.ts';
import { storylineStartMs } from './storyline-start.ts';

const storylines: Record<CompanyPlan['storyline'], (company: Company, random: Random) => readonly StorylineEvent[]> = {
  'account takeover': createAccountTakeover,
  'password spray': createPasswordSpray,
  'careless sharing': createCarelessSharing,
};

/** The records of the incident that hit a company on a working day shortly before `endMs`. */
export function createStoryline(company: Company, random: Random, endMs: number): DemoRecord[] {
  const startMs = storylineStartMs(company, endMs);
  return toDemoRecords(company, random, storylines[company.plan.storyline](company, random), startMs);
}

/** The log records of storyline events. */
export function toDemoRecords(
  company: Company,
  random: Random,
  events: readonly StorylineEvent[],
  startMs: number,
): DemoRecord[] {
  return events.map((event) => {
    const format = event.format ?? 'o365.management-activity';
    const atMs = startMs + event.offsetMinutes * 60_000;
    const occurredAtMs = Math.round(atMs) - (Math.round(atMs) % timestampPrecisionMs(format));
    const usual = chooseActor({ by: 'anyone' }, { ...company, employees: [event.by] }, random, occurredAtMs);
    const record = event.record({ ...usual, company, ...event.from });
    return { format, record, occurredAtMs };
  });
}

import type { Company } from '../company.ts';
import type { CompanyPlan } from '../company-plan.ts';
import type { Mail } from '../inventory/mails.ts';
import { createTakeoverOutcome } from './account-takeover-outcome.ts';
import { createSharingOutcome } from './careless-sharing-outcome.ts';
import { createSprayOutcome } from './password-spray-outcome.ts';
import type { StorylineOutcome } from './storyline-outcome.ts';

const outcomes: Record<
  CompanyPlan['storyline'],
  (company: Company, startMs: number, mails: readonly Mail[]) => StorylineOutcome
> = {
  'account takeover': createTakeoverOutcome,
  'password spray': createSprayOutcome,
  'careless sharing': createSharingOutcome,
};

/** @param startMs when the storyline began */
export function createOutcome(company: Company, startMs: number, mails: readonly Mail[]): StorylineOutcome {
  return outcomes[company.plan.storyline](company, startMs, mails);
}

import type { Company } from '../company.ts';
import type { CompanyPlan } from '../company-plan.ts';
import type { Mail } from '../estate/mails.ts';
import type { ActionPlan } from '../feeds/action.ts';
import type { Episode } from '../feeds/episode.ts';
import type { VendorAlert } from '../feeds/vendor-alert.ts';
import { afterTakeover } from './account-takeover-aftermath.ts';
import { afterCarelessSharing } from './careless-sharing-aftermath.ts';
import { afterPasswordSpray } from './password-spray-aftermath.ts';

/** What a storyline left in the feeds beside the log: who noticed it, and what was done about it. */
export interface Aftermath {
  readonly episodes: readonly Episode[];
  readonly alerts: readonly VendorAlert[];
  readonly incident: string;
  readonly actions: readonly ActionPlan[];
}

const aftermaths: Record<
  CompanyPlan['storyline'],
  (company: Company, startMs: number, mails: readonly Mail[]) => Aftermath
> = {
  'account takeover': afterTakeover,
  'password spray': afterPasswordSpray,
  'careless sharing': afterCarelessSharing,
};

/** @param startMs when the storyline began */
export function aftermathOf(company: Company, startMs: number, mails: readonly Mail[]): Aftermath {
  return aftermaths[company.plan.storyline](company, startMs, mails);
}

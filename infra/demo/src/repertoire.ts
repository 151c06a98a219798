import type { FormatName } from '@tenantscope/intake';
import type { CompanyPlan } from './company-plan.ts';
import { agentActivities } from './records/agents.ts';
import { copilotActivities } from './records/copilot.ts';
import { dataLossActivities } from './records/data-loss.ts';
import { directoryActivities } from './records/directory.ts';
import { directoryAuditActivities } from './records/directory-audit.ts';
import { exchangeActivities } from './records/exchange.ts';
import { googleActivities } from './records/google.ts';
import { oktaActivities } from './records/okta.ts';
import { sharePointActivities } from './records/sharepoint.ts';
import { signInActivities } from './records/sign-in.ts';
import { teamsActivities } from './records/teams.ts';
import { threatActivities } from './records/threats.ts';
import type { Activity } from './scene.ts';

const activities: readonly Activity[] = [
  ...exchangeActivities,
  ...sharePointActivities,
  ...directoryActivities,
  ...teamsActivities,
  ...dataLossActivities,
  ...threatActivities,
  ...copilotActivities,
  ...agentActivities,
  ...signInActivities,
  ...directoryAuditActivities,
  ...googleActivities,
  ...oktaActivities,
];

/** What may happen at a company that has these feeds. */
export function repertoireOf(plan: CompanyPlan): readonly Activity[] {
  return activities.filter((activity) => plan.feeds.includes(activity.feed));
}

/** The same without what changes another feed than the log, as the record of an alert does. */
export function loggedRepertoireOf(plan: CompanyPlan): readonly Activity[] {
  return repertoireOf(plan).filter((activity) => !threatActivities.includes(activity));
}

/** How finely a format tells time; what happened between two of its ticks is told at the first. */
export function tickMs(format: FormatName): number {
  return format === 'o365.management-activity' || format === 'entra.signin.graph' ? 1_000 : 1;
}

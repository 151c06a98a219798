import type { ActivityFormatName } from '@tenantscope/intake';
import type { Activity } from './activity.ts';
import type { CompanyPlan } from './company-plan.ts';
import { agentActivities } from './records/agents.ts';
import { azureMonitorActivities } from './records/azure-monitor.ts';
import { copilotActivities } from './records/copilot.ts';
import { copilotExportActivities } from './records/copilot-export.ts';
import { dataLossActivities } from './records/data-loss.ts';
import { defenderActivities } from './records/defender.ts';
import { directoryActivities } from './records/directory.ts';
import { directoryAuditActivities } from './records/directory-audit.ts';
import { exchangeActivities } from './records/exchange.ts';
import { googleActivities } from './records/google.ts';
import { messageTraceActivities } from './records/message-trace.ts';
import { oktaActivities } from './records/okta.ts';
import { sharePointActivities } from './records/sharepoint.ts';
import { signInActivities } from './records/sign-in.ts';
import { teamsActivities } from './records/teams.ts';
import { threatActivities } from './records/threats.ts';

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
  ...defenderActivities,
  ...messageTraceActivities,
  ...copilotExportActivities,
  ...azureMonitorActivities,
];

/** The activities of a company with these feeds. */
export function listActivities(plan: CompanyPlan): readonly Activity[] {
  return activities.filter((activity) => plan.feeds.includes(activity.feed));
}

/** The activities that appear in the log only; alert records also change another feed. */
export function listLogOnlyActivities(plan: CompanyPlan): readonly Activity[] {
  return listActivities(plan).filter((activity) => !threatActivities.includes(activity));
}

/** The timestamp precision of a format; times are truncated to it. */
export function timestampPrecisionMs(format: ActivityFormatName): number {
  return format === 'o365.management-activity' || format === 'entra.signin.graph' ? 1_000 : 1;
}

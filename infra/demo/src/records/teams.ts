import type { Activity, ActivityContext } from '../activity.ts';
import { deriveGuid } from '../random.ts';
import { managementRecord } from './management-record.ts';

const teamwork = {
  by: 'anyone',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  schedule: 'office hours',
  delay: 'hour',
} as const;

export const teamsActivities: readonly Activity[] = [
  {
    ...teamwork,
    weight: 30,
    record: (context) => teamsRecord(context, 'MessageSent', { ...channel(context), MessageId: messageId(context) }),
  },
  {
    ...teamwork,
    weight: 14,
    record: (context) => teamsRecord(context, 'MessageSent', { ...chat(context), MessageId: messageId(context) }),
  },
  {
    ...teamwork,
    weight: 12,
    record: (context) => teamsRecord(context, 'TeamsSessionStarted', { ObjectId: 'Unknown (Unknown)' }),
  },
  {
    ...teamwork,
    weight: 4,
    record: (context) =>
      teamsRecord(context, 'ChatCreated', { ...chat(context), ParticipantInfo: participants(context) }),
  },
  { ...teamwork, weight: 2, record: memberAdded },
  { ...teamwork, weight: 1, record: appInstalled },
];

function teamsRecord(context: ActivityContext, operation: string, rest: Record<string, unknown>) {
  return managementRecord(
    context,
    { recordType: 25, operation, workload: 'MicrosoftTeams' },
    { UserType: 0, UserKey: context.person.id, ...rest },
  );
}

function team({ random, company }: ActivityContext) {
  const [name, ...channels] = random.pick(company.plan.teams);
  return { channels, TeamName: name, TeamGuid: `19:${thread(company.plan.azureTenantId, name)}@thread.tacv2` };
}

function channel(context: ActivityContext) {
  const { channels, TeamName, TeamGuid } = team(context);
  const ChannelName = context.random.pick(channels);
  const ChannelGuid = `19:${thread(context.company.plan.azureTenantId, TeamName, ChannelName)}@thread.tacv2`;
  return { CommunicationType: 'Team', TeamName, TeamGuid, ChannelName, ChannelGuid, ItemName: TeamName };
}

function chat(context: ActivityContext) {
  const other = context.random.pick(context.company.employees);
  const ids = [context.person.id, other.id].sort();
  return { CommunicationType: 'OneOnOne', ChatThreadId: `19:${ids.join('_')}@unq.gbl.spaces` };
}

function participants(context: ActivityContext) {
  const hasGuest = context.random.bool(0.2);
  return {
    HasForeignTenantUsers: hasGuest,
    HasGuestUsers: hasGuest,
    HasOtherGuestUsers: false,
    HasUnauthenticatedUsers: false,
  };
}

function memberAdded(context: ActivityContext) {
  const { TeamName, TeamGuid } = team(context);
  const { displayName, userPrincipalName } = context.random.pick([
    ...context.company.employees,
    ...context.company.guests,
  ]);
  return teamsRecord(context, 'MemberAdded', {
    TeamName,
    TeamGuid,
    ItemName: TeamName,
    Members: [{ DisplayName: displayName, Role: 1, UPN: userPrincipalName }],
  });
}

function appInstalled(context: ActivityContext) {
  const { TeamName, TeamGuid } = team(context);
  const app = context.random.pick(context.company.apps);
  return teamsRecord(context, 'AppInstalled', {
    TeamName,
    TeamGuid,
    AddOnName: app.name,
    AddOnGuid: app.appId,
    AddonType: 1,
  });
}

function messageId(context: ActivityContext): string {
  return String(context.atMs + context.random.between(0, 999));
}

function thread(...names: string[]): string {
  return deriveGuid('thread', ...names).replaceAll('-', '');
}

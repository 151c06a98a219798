import { guidOf } from '../chance.ts';
import type { Activity, Scene } from '../scene.ts';
import { managementRecord } from './management-record.ts';

const teamwork = {
  by: 'anyone',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  rhythm: 'office hours',
  delay: 'hour',
} as const;

export const teamsActivities: readonly Activity[] = [
  {
    ...teamwork,
    weight: 30,
    record: (scene) => teamsRecord(scene, 'MessageSent', { ...channel(scene), MessageId: messageId(scene) }),
  },
  {
    ...teamwork,
    weight: 14,
    record: (scene) => teamsRecord(scene, 'MessageSent', { ...chat(scene), MessageId: messageId(scene) }),
  },
  {
    ...teamwork,
    weight: 12,
    record: (scene) => teamsRecord(scene, 'TeamsSessionStarted', { ObjectId: 'Unknown (Unknown)' }),
  },
  {
    ...teamwork,
    weight: 4,
    record: (scene) => teamsRecord(scene, 'ChatCreated', { ...chat(scene), ParticipantInfo: participants(scene) }),
  },
  { ...teamwork, weight: 2, record: memberAdded },
  { ...teamwork, weight: 1, record: appInstalled },
];

function teamsRecord(scene: Scene, operation: string, rest: Record<string, unknown>) {
  return managementRecord(
    scene,
    { recordType: 25, operation, workload: 'MicrosoftTeams' },
    { UserType: 0, UserKey: scene.person.id, ...rest },
  );
}

function team({ chance, company }: Scene) {
  const [name, ...channels] = chance.pick(company.plan.teams);
  return { channels, TeamName: name, TeamGuid: `19:${thread(company.plan.azureTenantId, name)}@thread.tacv2` };
}

function channel(scene: Scene) {
  const { channels, TeamName, TeamGuid } = team(scene);
  const ChannelName = scene.chance.pick(channels);
  const ChannelGuid = `19:${thread(scene.company.plan.azureTenantId, TeamName, ChannelName)}@thread.tacv2`;
  return { CommunicationType: 'Team', TeamName, TeamGuid, ChannelName, ChannelGuid, ItemName: TeamName };
}

function chat(scene: Scene) {
  const other = scene.chance.pick(scene.company.people);
  const ids = [scene.person.id, other.id].sort();
  return { CommunicationType: 'OneOnOne', ChatThreadId: `19:${ids.join('_')}@unq.gbl.spaces` };
}

function participants(scene: Scene) {
  const hasGuest = scene.chance.is(0.2);
  return {
    HasForeignTenantUsers: hasGuest,
    HasGuestUsers: hasGuest,
    HasOtherGuestUsers: false,
    HasUnauthenticatedUsers: false,
  };
}

function memberAdded(scene: Scene) {
  const { TeamName, TeamGuid } = team(scene);
  const { displayName, userPrincipalName } = scene.chance.pick([...scene.company.people, ...scene.company.guests]);
  return teamsRecord(scene, 'MemberAdded', {
    TeamName,
    TeamGuid,
    ItemName: TeamName,
    Members: [{ DisplayName: displayName, Role: 1, UPN: userPrincipalName }],
  });
}

function appInstalled(scene: Scene) {
  const { TeamName, TeamGuid } = team(scene);
  const app = scene.chance.pick(scene.company.apps);
  return teamsRecord(scene, 'AppInstalled', {
    TeamName,
    TeamGuid,
    AddOnName: app.name,
    AddOnGuid: app.appId,
    AddonType: 1,
  });
}

function messageId(scene: Scene): string {
  return String(scene.atMs + scene.chance.between(0, 999));
}

function thread(...names: string[]): string {
  return guidOf('thread', ...names).replaceAll('-', '');
}

import { guidOf } from '../chance.ts';
import type { Person } from '../company.ts';
import type { Activity, Scene } from '../scene.ts';
import { firstParty, signInTargets } from './first-party.ts';
import { managementRecord, named } from './management-record.ts';

const directory = {
  by: 'admin',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  rhythm: 'office hours',
  delay: 'hour',
} as const;

export const directoryActivities: readonly Activity[] = [
  { ...directory, weight: 55, by: 'anyone', record: (scene) => loggedIn(scene) },
  { ...directory, weight: 6, by: 'anyone', record: (scene) => loginFailed(scene, mistyped) },
  { ...directory, weight: 3, by: 'anyone', record: (scene) => loginFailed(scene, interrupted) },
  { ...directory, weight: 3, by: 'guest', record: (scene) => loggedIn(scene) },
  { ...directory, weight: 3, record: (scene) => directoryChange(scene, 'Update user.', user(somebody(scene))) },
  { ...directory, weight: 3, record: addedToGroup },
  { ...directory, weight: 1, record: (scene) => directoryChange(scene, 'Reset user password.', user(somebody(scene))) },
  { ...directory, weight: 1, record: (scene) => roleGiven(scene, somebody(scene), 'Reports Reader') },
  {
    ...directory,
    weight: 2,
    record: (scene) => directoryChange(scene, 'Invite external user.', user(scene.chance.pick(scene.company.guests))),
  },
  { ...directory, weight: 1, record: newCredential },
  { ...directory, weight: 6, rhythm: 'any hour', record: principalUpdatesItself },
];

/** One identity in `Actor` or `Target`, in the order the directory writes them. */
export interface Target {
  readonly objectId: string;
  readonly type: 'User' | 'ServicePrincipal' | 'Application' | 'Group' | 'Role';
  readonly name: string;
  readonly puid?: string;
}

export const user = (person: Person): Target => ({
  objectId: person.id,
  type: 'User',
  name: person.userPrincipalName,
  puid: person.puid,
});

/** A change in the directory (record type 8): who did it to what, and what became of it. */
export function directoryChange(scene: Scene, operation: string, target: Target, changes: Record<string, string> = {}) {
  const tenantId = scene.company.plan.azureTenantId;
  return managementRecord(
    scene,
    { recordType: 8, operation, workload: 'AzureActiveDirectory', resultStatus: 'Success' },
    {
      UserType: 0,
      UserKey: `${scene.person.puid}@${scene.company.plan.domain}`,
      ObjectId: target.name,
      AzureActiveDirectoryEventType: 1,
      ExtendedProperties: named({ additionalDetails: '{}', extendedAuditEventCategory: target.type }),
      ModifiedProperties: Object.entries(changes).map(([Name, NewValue]) => ({ Name, NewValue, OldValue: '' })),
      Actor: identities(user(scene.person)),
      ActorContextId: tenantId,
      ActorIpAddress: scene.address,
      InterSystemsId: scene.chance.guid(),
      IntraSystemId: scene.chance.guid(),
      SupportTicketId: '',
      Target: identities(target),
      TargetContextId: tenantId,
    },
  );
}

export function roleGiven(scene: Scene, to: Person, role: string) {
  return directoryChange(scene, 'Add member to role.', user(to), {
    'Role.ObjectID': guidOf(scene.company.plan.azureTenantId, 'role', role),
    'Role.DisplayName': role,
  });
}

/** A sign-in (record type 15) that succeeded. */
export function loggedIn(scene: Scene) {
  return signIn(scene, 'UserLoggedIn', { ErrorNumber: '0' });
}

export interface SignInError {
  readonly ErrorNumber: string;
  readonly LogonError: string;
}

export const mistyped: SignInError = { ErrorNumber: '50126', LogonError: 'InvalidUserNameOrPassword' };
export const interrupted: SignInError = {
  ErrorNumber: '50074',
  LogonError: 'UserStrongAuthClientAuthNRequiredInterrupt',
};
export const lockedOut: SignInError = { ErrorNumber: '50053', LogonError: 'IdsLocked' };

/** A sign-in that failed. The result still says «Success», as most real ones do: it speaks of the request, not of the person. */
export function loginFailed(scene: Scene, error: SignInError) {
  return signIn(scene, 'UserLoginFailed', { ...error });
}

function signIn(scene: Scene, operation: string, rest: Record<string, unknown>) {
  const { chance, company, device, person } = scene;
  const target = chance.pick(signInTargets);
  return managementRecord(
    scene,
    { recordType: 15, operation, workload: 'AzureActiveDirectory', resultStatus: 'Success' },
    {
      UserType: person.isGuest ? 10 : 0,
      UserKey: person.id,
      ObjectId: target.id,
      AzureActiveDirectoryEventType: 1,
      ApplicationId: firstParty.officeHome.id,
      ExtendedProperties: named({
        ResultStatusDetail: 'Success',
        UserAgent: device.userAgent,
        RequestType: 'OAuth2:Authorize',
      }),
      ModifiedProperties: [],
      Actor: [
        { ID: person.id, Type: 0 },
        { ID: person.userPrincipalName, Type: 5 },
      ],
      ActorContextId: person.homeTenantId,
      ActorIpAddress: scene.address,
      InterSystemsId: chance.guid(),
      IntraSystemId: chance.guid(),
      SupportTicketId: '',
      Target: [{ ID: target.id, Type: 0 }],
      TargetContextId: company.plan.azureTenantId,
      DeviceProperties: named({
        ...(device.id === '' ? {} : { Id: device.id, DisplayName: device.name }),
        OS: device.operatingSystem,
        BrowserType: device.browser.split(' ')[0] ?? '',
        IsCompliantAndManaged: device.isManaged === true ? 'True' : 'False',
        SessionId: chance.guid(),
      }),
      ...rest,
    },
  );
}

function addedToGroup(scene: Scene) {
  const group = scene.chance.pick(scene.company.plan.groups);
  return directoryChange(scene, 'Add member to group.', user(somebody(scene)), {
    'Group.ObjectID': guidOf(scene.company.plan.azureTenantId, 'group', group),
    'Group.DisplayName': group,
  });
}

/** The real name of this operation holds an en dash and ends in a space. */
function newCredential(scene: Scene) {
  const app = scene.chance.pick(scene.company.apps);
  const target: Target = { objectId: guidOf(app.appId, 'application object'), type: 'Application', name: app.name };
  return directoryChange(scene, 'Update application – Certificates and secrets management ', target, {
    'Included Updated Properties': 'KeyDescription',
  });
}

function principalUpdatesItself(scene: Scene) {
  const app = scene.chance.pick(scene.company.apps);
  const actor: Target = { objectId: app.servicePrincipalId, type: 'ServicePrincipal', name: app.name };
  return {
    ...directoryChange(scene, 'Update service principal.', actor),
    UserId: `ServicePrincipal_${app.servicePrincipalId}`,
    UserKey: 'Not Available',
    UserType: 4,
    ClientIP: app.address,
    ActorIpAddress: app.address,
    Actor: identities(actor),
  };
}

function identities({ objectId, type, name, puid }: Target): { ID: string; Type: number }[] {
  const classed = [
    { ID: `${type}_${objectId}`, Type: 2 },
    { ID: objectId, Type: 2 },
    { ID: type, Type: 2 },
  ];
  if (type !== 'User') return [...classed, { ID: name, Type: 1 }];
  return [...classed, { ID: name, Type: 5 }, ...(puid === undefined ? [] : [{ ID: puid, Type: 3 }])];
}

function somebody(scene: Scene): Person {
  return scene.chance.pick(scene.company.people);
}

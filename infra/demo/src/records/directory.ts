import type { Activity, ActivityContext } from '../activity.ts';
import type { Person } from '../company.ts';
import { deriveGuid } from '../random.ts';
import { firstParty, signInTargets } from './first-party.ts';
import { managementRecord, named } from './management-record.ts';

const directory = {
  by: 'admin',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  schedule: 'office hours',
  delay: 'hour',
} as const;

export const directoryActivities: readonly Activity[] = [
  { ...directory, weight: 55, by: 'anyone', record: (context) => loggedIn(context) },
  { ...directory, weight: 6, by: 'anyone', record: (context) => loginFailed(context, mistyped) },
  { ...directory, weight: 3, by: 'anyone', record: (context) => loginFailed(context, interrupted) },
  { ...directory, weight: 3, by: 'guest', record: (context) => loggedIn(context) },
  { ...directory, weight: 3, record: (context) => directoryChange(context, 'Update user.', user(chooseUser(context))) },
  { ...directory, weight: 3, record: addedToGroup },
  {
    ...directory,
    weight: 1,
    record: (context) => directoryChange(context, 'Reset user password.', user(chooseUser(context))),
  },
  { ...directory, weight: 1, record: (context) => roleGiven(context, chooseUser(context), 'Reports Reader') },
  {
    ...directory,
    weight: 2,
    record: (context) =>
      directoryChange(context, 'Invite external user.', user(context.random.pick(context.company.guests))),
  },
  { ...directory, weight: 1, record: newCredential },
  { ...directory, weight: 6, schedule: 'any hour', record: principalUpdatesItself },
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

/** A directory change (record type 8): actor, target and result. */
export function directoryChange(
  context: ActivityContext,
  operation: string,
  target: Target,
  changes: Record<string, string> = {},
) {
  const tenantId = context.company.plan.azureTenantId;
  return managementRecord(
    context,
    { recordType: 8, operation, workload: 'AzureActiveDirectory', resultStatus: 'Success' },
    {
      UserType: 0,
      UserKey: `${context.person.puid}@${context.company.plan.domain}`,
      ObjectId: target.name,
      AzureActiveDirectoryEventType: 1,
      ExtendedProperties: named({ additionalDetails: '{}', extendedAuditEventCategory: target.type }),
      ModifiedProperties: Object.entries(changes).map(([Name, NewValue]) => ({ Name, NewValue, OldValue: '' })),
      Actor: identities(user(context.person)),
      ActorContextId: tenantId,
      ActorIpAddress: context.address,
      InterSystemsId: context.random.guid(),
      IntraSystemId: context.random.guid(),
      SupportTicketId: '',
      Target: identities(target),
      TargetContextId: tenantId,
    },
  );
}

export function roleGiven(context: ActivityContext, to: Person, role: string) {
  return directoryChange(context, 'Add member to role.', user(to), {
    'Role.ObjectID': deriveGuid(context.company.plan.azureTenantId, 'role', role),
    'Role.DisplayName': role,
  });
}

/** A sign-in (record type 15) that succeeded. */
export function loggedIn(context: ActivityContext) {
  return signIn(context, 'UserLoggedIn', { ErrorNumber: '0' });
}

export interface SignInError {
  readonly ErrorNumber: string;
  readonly LogonError: string;
}

export const mistyped: SignInError = { ErrorNumber: '50126', LogonError: 'InvalidUserNameOrPassword' };
const interrupted: SignInError = {
  ErrorNumber: '50074',
  LogonError: 'UserStrongAuthClientAuthNRequiredInterrupt',
};
export const lockedOut: SignInError = { ErrorNumber: '50053', LogonError: 'IdsLocked' };

/** A sign-in that failed. The result is still "Success", as in most real records: it describes the request, not the sign-in. */
export function loginFailed(context: ActivityContext, error: SignInError) {
  return signIn(context, 'UserLoginFailed', { ...error });
}

function signIn(context: ActivityContext, operation: string, rest: Record<string, unknown>) {
  const { random, company, device, person } = context;
  const target = random.pick(signInTargets);
  return managementRecord(
    context,
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
      ActorIpAddress: context.address,
      InterSystemsId: random.guid(),
      IntraSystemId: random.guid(),
      SupportTicketId: '',
      Target: [{ ID: target.id, Type: 0 }],
      TargetContextId: company.plan.azureTenantId,
      DeviceProperties: named({
        ...(device.id === '' ? {} : { Id: device.id, DisplayName: device.name }),
        OS: device.operatingSystem,
        BrowserType: device.browser.split(' ')[0] ?? '',
        IsCompliantAndManaged: device.isManaged === true ? 'True' : 'False',
        SessionId: random.guid(),
      }),
      ...rest,
    },
  );
}

function addedToGroup(context: ActivityContext) {
  const group = context.random.pick(context.company.plan.groups);
  return directoryChange(context, 'Add member to group.', user(chooseUser(context)), {
    'Group.ObjectID': deriveGuid(context.company.plan.azureTenantId, 'group', group),
    'Group.DisplayName': group,
  });
}

/** The real name of this operation holds an en dash and ends in a space. */
function newCredential(context: ActivityContext) {
  const app = context.random.pick(context.company.apps);
  const target: Target = { objectId: deriveGuid(app.appId, 'application object'), type: 'Application', name: app.name };
  return directoryChange(context, 'Update application – Certificates and secrets management ', target, {
    'Included Updated Properties': 'KeyDescription',
  });
}

function principalUpdatesItself(context: ActivityContext) {
  const app = context.random.pick(context.company.apps);
  const actor: Target = { objectId: app.servicePrincipalId, type: 'ServicePrincipal', name: app.name };
  return {
    ...directoryChange(context, 'Update service principal.', actor),
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

function chooseUser(context: ActivityContext): Person {
  return context.random.pick(context.company.employees);
}

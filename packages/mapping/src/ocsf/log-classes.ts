import type { AuditLogEvent } from '@tenantscope/contract';
import { findAccount, findGroup, findMember, findSender, findTarget, isUserType, readChange } from '../participants.ts';
import { isEmail } from '../texts.ts';
import type { OcsfClassName } from './classes.ts';
import { type Attributes, compact } from './event.ts';
import { describeActor, describeResource, describeService, describeUser, unknownUser } from './log-objects.ts';

/** What only events of one class have; null if the event lacks what the class requires. */
type Describe = (event: AuditLogEvent) => Attributes | null;

/** The account that was changed, else the resource, else the one who acted. */
const describeAccount = (event: AuditLogEvent) => {
  const resource = { id: event.resourceId, name: event.resourceName, type: 'user' };
  return describeUser(findAccount(event) ?? resource) ?? describeActor(event)?.user ?? unknownUser;
};

const describeActorOrUnknown = (event: AuditLogEvent) => describeActor(event) ?? { user: unknownUser };

const entityTypes: readonly (readonly [RegExp, number])[] = [
  [/device/i, 1],
  [isUserType, 2],
  [/group|team/i, 3],
  [/organi[sz]ation|tenant|domain|orgUnit/i, 4],
  [/policy|rule/i, 5],
  [/email|mail/i, 6],
];

export const describeClass: Readonly<Record<Exclude<OcsfClassName, 'detectionFinding'>, Describe>> = {
  base: () => ({}),
  authentication: (event) => ({
    user: describeActor(event)?.user ?? unknownUser,
    service: compact({
      name: event.applicationDisplayName ?? event.resourceName ?? describeService(event),
      uid: event.applicationId,
    }),
    session: compact({ uid: event.sessionId }),
    ...describeProtocol(event.signIn?.authenticationProtocol ?? null),
    is_mfa: readFactors(event),
  }),
  fileHosting: (event) => {
    const { resourceId, resourceName, resourceType } = event;
    const name = resourceName ?? resourceId;
    if (name === null) return null;
    const type_id = resourceType === 'file' || resourceType === 'page' ? 1 : resourceType === 'folder' ? 2 : 99;
    return {
      actor: describeActorOrUnknown(event),
      file: compact({ name, type_id, type: resourceType, uid: resourceId }),
    };
  },
  accountChange: (event) => ({ user: describeAccount(event) }),
  userAccess: (event) => {
    const role =
      readChange(event, 'Role.DisplayName') ?? readChange(event, 'AppRole.Value') ?? findTarget(event, /role/i)?.name;
    const resource = describeResource(event);
    return {
      user: describeAccount(event),
      privileges: [role ?? event.details?.privilegeGranted ?? event.details?.privilegeRevoked ?? event.action],
      resources: resource && [resource],
    };
  },
  groupManagement: (event) => {
    const group = findGroup(event);
    if (!group) return null;
    const user = findMember(event);
    return { group: compact({ name: group.name ?? group.id, uid: group.id }), user: user && describeUser(user) };
  },
  emailActivity: (event) => {
    const recipients = (event.targets ?? []).map((target) => target.name ?? target.id).filter(isEmail);
    const from = findSender(event);
    if (from === null && recipients.length === 0) return null;
    const { resourceId, resourceName } = event;
    return {
      direction_id: 0,
      email: compact({ from, to: recipients, subject: isEmail(resourceName) ? null : resourceName, uid: resourceId }),
    };
  },
  applicationLifecycle: (event) => {
    const app = describeResource(event);
    return app ? { app: compact({ name: app.name, uid: app.uid }) } : null;
  },
  apiActivity: (event) => {
    const resource = describeResource(event);
    return {
      actor: describeActorOrUnknown(event),
      api: compact({ operation: event.action, service: { name: describeService(event) } }),
      resources: resource && [resource],
    };
  },
  entityManagement: (event) => {
    const entity = describeResource(event);
    if (!entity) return null;
    const { resourceType } = event;
    const type_id =
      entityTypes.find(([type]) => type.test(resourceType ?? ''))?.[1] ?? (resourceType === null ? 0 : 99);
    return { entity: { ...entity, type_id } };
  },
};

/** The classes whose events must have an endpoint. */
export const requiresEndpoint: ReadonlySet<OcsfClassName> = new Set(['apiActivity', 'fileHosting'] as const);

const protocols: readonly (readonly [RegExp, readonly [number, string]])[] = [
  [/^(?:openid|oidc)/i, [4, 'OpenID']],
  [/^saml/i, [5, 'SAML']],
  [/^oauth/i, [6, 'OAUTH 2.0']],
];

/** A protocol that the schema does not list has the name that the provider gives it. */
function describeProtocol(name: string | null) {
  if (name === null || name === 'none') return {};
  const [auth_protocol_id, auth_protocol] = protocols.find(([pattern]) => pattern.test(name))?.[1] ?? [99, name];
  return { auth_protocol_id, auth_protocol };
}

function readFactors({ signIn }: AuditLogEvent): boolean | null {
  const requirement = signIn?.authenticationRequirement ?? '';
  if (/^multi/i.test(requirement)) return true;
  return /^single/i.test(requirement) ? false : null;
}

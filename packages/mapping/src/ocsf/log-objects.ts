import type { AuditLogEvent } from '@tenantscope/contract';
import { isAddress, isEmail, readCountry } from '../texts.ts';
import { compact } from './event.ts';

/** User types of OCSF: user, system, service, other; in lower case, since directories write `User`. */
const userTypes: Readonly<Record<string, number>> = {
  user: 1,
  system: 3,
  policy: 3,
  serviceprincipal: 4,
  application: 4,
  agent: 4,
};

interface Person {
  readonly id: string | null;
  readonly name: string | null;
  readonly type: string | null;
}

/** Undefined without id and name. */
export function describeUser({ id, name, type }: Person, aliasId: string | null = null) {
  if (id === null && name === null) return undefined;
  return compact({
    uid: id,
    name: name ?? id,
    type_id: type === null || type === 'unknown' ? 0 : (userTypes[type.toLowerCase()] ?? 99),
    type,
    uid_alt: aliasId === id ? null : aliasId,
    email_addr: isEmail(name) ? name : null,
  });
}

/** Where a class requires a user and the record names none. */
export const unknownUser = { name: 'Unknown', type_id: 0 };

/** Who acted, through which application, in which session. */
export function describeActor(event: AuditLogEvent) {
  const user = describeUser({ id: event.actorId, name: event.actorName, type: event.actorType }, event.actorUserId);
  return compact({
    user,
    app_name: event.applicationDisplayName,
    app_uid: event.applicationClientId ?? event.applicationId,
    session: compact({ uid: event.sessionId }),
  });
}

/** From where it was done; undefined if the record has no address. A country is a code: one that the provider names is the description of a place. */
export function describeSource({ actorIp, location }: AuditLogEvent) {
  if (!isAddress(actorIp)) return undefined;
  const country = readCountry(location?.country);
  const place = location && compact({ city: location.city, country: country.code, region: location.region });
  return compact({
    ip: actorIp,
    location: place && compact({ ...place, desc: country.name, lat: location?.latitude, long: location?.longitude }),
    autonomous_system: location && compact({ number: location.asn, name: location.asOrganization }),
  });
}

/** Where a class requires an endpoint and the record has no address: the service in which it was done. */
export const describeService = ({ clientApp, workload, sourceName, sourceType }: AuditLogEvent): string =>
  clientApp ?? workload ?? sourceName ?? sourceType ?? 'Unknown';

const systems: readonly (readonly [RegExp, number])[] = [
  [/windows (?:phone|mobile)/i, 101],
  [/windows/i, 100],
  [/android/i, 201],
  [/ipad/i, 302],
  [/ios|iphone/i, 301],
  [/mac/i, 300],
  [/linux|ubuntu|debian|chrome ?os/i, 200],
];

/** Undefined without an id and a name. */
export function describeDevice({ deviceId, deviceName, deviceOs, isManagedDevice }: AuditLogEvent) {
  if (deviceId === null && deviceName === null) return undefined;
  return compact({
    type_id: 0,
    uid: deviceId,
    name: deviceName ?? deviceId,
    is_managed: isManagedDevice,
    os: describeSystem(deviceOs),
  });
}

export const describeSystem = (name: string | null) =>
  name === null ? null : { name, type_id: systems.find(([pattern]) => pattern.test(name))?.[1] ?? 99 };

export const describeResource = ({ resourceId, resourceName, resourceType }: AuditLogEvent) =>
  resourceId === null && resourceName === null
    ? undefined
    : compact({ uid: resourceId, name: resourceName ?? resourceId, type: resourceType });

import type { CachedApp } from '../message/reading-context.ts';
import { firstPartyApps } from '../microsoft/first-party-apps.ts';
import type { Activity } from './activity.ts';

/**
 * Adds the names of applications where the record has the client id alone, as many sign-ins do: of the tenant's apps, then of
 * Microsoft's own, most of which are no apps of the tenant. A name that repeats the id is no name.
 */
export function addAppNames(
  activity: Activity,
  lookUpApp: (clientId: string | null) => CachedApp | undefined,
): Activity {
  const { application, resource } = activity;
  const hasName = application.clientId === null || !isMissing(application.displayName, application.clientId);
  const hasTarget = resource.type !== 'application' || resource.id === null || !isMissing(resource.name, resource.id);
  if (hasName && hasTarget) return activity;
  const findName = (clientId: string | null) =>
    clientId === null ? null : (lookUpApp(clientId)?.name ?? firstPartyApps.get(clientId.toLowerCase()) ?? null);
  return {
    ...activity,
    application: hasName
      ? application
      : { ...application, displayName: findName(application.clientId) ?? application.displayName },
    resource: hasTarget ? resource : { ...resource, name: findName(resource.id) ?? resource.name },
  };
}

function isMissing(name: string | null, id: string): boolean {
  return name === null || (name.length === id.length && name.toLowerCase() === id.toLowerCase());
}

import type { Activity } from '../activity/activity.ts';
import { getDetail, includesText } from './conditions.ts';

/** Whether the record has the result: an operation also has records of its start and of its acceptance. */
export function hasEnded({ outcome }: Activity): boolean {
  return outcome !== null;
}

/**
 * Whether the role is one that may assign roles. The definition is in the request or in the response, which are JSON text; Defender has both in the properties.
 */
export function grantsAdministration(activity: Activity): boolean {
  const texts = bodies.map((name) => getDetail(activity, name));
  return hasEnded(activity) && administrators.some((role) => texts.some((text) => includesText(text, role)));
}

/** Automation lists keys all the time. */
export function listsAsUser(activity: Activity): boolean {
  return hasEnded(activity) && activity.actor.type === 'user';
}

const bodies = ['requestbody', 'requestBody', 'responseBody', 'RawEventData.properties'];
/** Ids that built-in roles have in every tenant: Owner, User Access Administrator, Role Based Access Control Administrator. */
const administrators = [
  '8e3af657-a8ff-443c-a75c-2fe8c4bcb635',
  '18d7d88d-d35e-4fb5-a5c3-7773c20a72d9',
  'f58310d9-a9f6-439a-9e8d-f62e7b41a168',
];

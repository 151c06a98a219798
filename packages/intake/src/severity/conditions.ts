import type { Activity } from '../activity/activity.ts';
import type { JsonObject } from '../json/value.ts';
import type { Condition } from './severity-rule.ts';

export function isNotSystem({ actor }: Activity): boolean {
  return actor.type !== 'system';
}

/** A sign-in that was rejected, not one that merely requested a second factor. */
export function isFailed({ outcome }: Activity): boolean {
  return outcome === 'failure';
}

/** The first value of a detail; names are the provider's. */
export function getDetail({ context }: Activity, name: string): string | null {
  for (const detail of context.details) if (detail[0] === name) return detail[1];
  return null;
}

/** Texts of at most 16,384 characters are searched: a policy of Entra is a tenth of that. */
export function includesText(text: string | null, part: string): boolean {
  return text?.slice(0, searchedMax).toLowerCase().includes(part) === true;
}

/** @param part in lower case */
export function hasTargetNamed({ context }: Activity, part: string): boolean {
  return context.targets.some(({ name }) => includesText(name, part));
}

export function hasRisk({ context }: Activity, type: string): boolean {
  return context.signIn?.riskEventTypes?.includes(type) === true;
}

export function both(first: Condition, second: Condition): Condition {
  return (activity: Activity, record: JsonObject) => first(activity, record) && second(activity, record);
}

const searchedMax = 16_384;

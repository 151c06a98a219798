import { findClass, type OcsfClassName } from './classes.ts';
import type { Observable } from './observables.ts';

/** The version of the schema that all events are of. */
export const ocsfVersion = '1.8.0';

export type Attributes = Readonly<Record<string, unknown>>;

/** An event of OCSF. Attributes beyond these depend on its class. */
export interface OcsfEvent extends Attributes {
  readonly class_uid: number;
  readonly activity_id: number;
  readonly type_uid: number;
  readonly severity_id: number;
  readonly time: number;
  readonly metadata: Attributes;
  readonly observables?: readonly Observable[];
  /** Members of the record without an attribute, under their own names. */
  readonly unmapped?: Attributes;
}

interface Classified {
  readonly class: OcsfClassName;
  readonly activity: string;
}

/** The attributes that name class, category, activity and type. */
export function classify({ class: name, activity }: Classified, activityName = activity) {
  const { uid, caption, category, activities } = findClass(name);
  const activityId = activities[activity] ?? 99;
  return {
    category_uid: category[0],
    category_name: category[1],
    class_uid: uid,
    class_name: caption,
    activity_id: activityId,
    activity_name: activityName,
    type_uid: uid * 100 + activityId,
    type_name: `${caption}: ${activity}`,
  };
}

const severities: Readonly<Record<string, readonly [number, string]>> = {
  informational: [1, 'Informational'],
  low: [2, 'Low'],
  medium: [3, 'Medium'],
  high: [4, 'High'],
  critical: [5, 'Critical'],
};

export function rateSeverity(severity: string | null) {
  const [severity_id, caption] = severities[severity ?? ''] ?? [0, 'Unknown'];
  return { severity_id, severity: caption };
}

/** Without members that are null, undefined, or empty lists and objects; undefined if nothing remains. */
export function compact<Members extends object>(
  members: Members,
): { readonly [Name in keyof Members]?: NonNullable<Members[Name]> } | undefined {
  const present: Record<string, unknown> = {};
  let isAny = false;
  for (const name in members) {
    const value = members[name];
    if (isEmpty(value)) continue;
    present[name] = value;
    isAny = true;
  }
  return isAny ? (present as { readonly [Name in keyof Members]?: NonNullable<Members[Name]> }) : undefined;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object') return false;
  for (const _ in value) return false;
  return true;
}

export const toMs = (time: string | null): number | null => (time === null ? null : Date.parse(time));

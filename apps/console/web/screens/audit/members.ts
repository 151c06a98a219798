import { actorName } from '../../actor-name.ts';
import type { AuditEvent } from '../../asked.ts';
import type { Words } from '../../words/en.ts';
import { utc } from '../../words/words.tsx';
import { visible } from '../playground/visible.ts';
import type { Telling } from './sentence.ts';

/** The members that are not what they were, in the order of the row. */
export function changedMembers({ before, after }: AuditEvent): readonly string[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.filter((name) => JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after?.[name] ?? null));
}

export function memberName({ audit }: Words, member: string): string {
  const names: Readonly<Record<string, string>> = audit.members;
  return names[member] ?? member.replaceAll('_', ' ');
}

/** A value as people read it; whatever has no other form is written as it stands there. */
export function shownValue({ words, tenants, people }: Telling, member: string, value: unknown): string {
  if (value === null || value === undefined) return nothings(words)[member] ?? '–';
  if (member === 'role') return (words.roles as Readonly<Record<string, string>>)[String(value)] ?? String(value);
  if (member === 'tenant_ids' && Array.isArray(value))
    return value.map((id) => visible(tenants.get(String(id)) ?? String(id))).join(', ') || '–';
  if (member === 'tenant_id') return visible(tenants.get(String(value)) ?? String(value));
  if (member === 'created_by' || member === 'person_id') {
    const actor = member === 'person_id' ? `person:${value}` : String(value);
    return visible(actorName(words, actor, people.get(actor) ?? null));
  }
  if (member === 'key_lifetime_days') return words.people.days(Number(value));
  if (member.endsWith('_at') && typeof value === 'string') return utc(value);
  if (Array.isArray(value)) return value.map((one) => visible(String(one))).join(', ') || '–';
  return visible(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

const nothings = (words: Words): Readonly<Record<string, string>> => ({
  expires_at: words.keys.noExpiry,
  tenant_ids: words.people.every,
  tenant_id: words.keys.whole,
  disabled_at: words.people.opened,
  key_lifetime_days: words.people.unlimited,
});

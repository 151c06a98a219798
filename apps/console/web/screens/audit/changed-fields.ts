import type { AuditEvent } from '../../../api/audit.ts';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { formatActor } from '../../format-actor.ts';
import type { Labels } from '../../labels/en.ts';
import { utc } from '../../labels/format.ts';
import type { EventContext } from './event-context.ts';

/** The fields that differ, in the order of the row. */
export function changedFields({ before, after }: AuditEvent): readonly string[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.filter((name) => JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after?.[name] ?? null));
}

export function fieldLabel({ audit }: Labels, field: string): string {
  const names: Readonly<Record<string, string>> = audit.fields;
  return names[field] ?? field.replaceAll('_', ' ');
}

/** A value as shown; a field without a format of its own is shown unchanged. */
export function formatFieldValue({ labels, tenants, members }: EventContext, field: string, value: unknown): string {
  if (value === null || value === undefined) return missingValueLabels(labels)[field] ?? '–';
  if (field === 'role') return (labels.roles as Readonly<Record<string, string>>)[String(value)] ?? String(value);
  if (field === 'tenant_ids' && Array.isArray(value))
    return value.map((id) => escapeInvisible(tenants.get(String(id)) ?? String(id))).join(', ') || '–';
  if (field === 'tenant_id') return escapeInvisible(tenants.get(String(value)) ?? String(value));
  if (field === 'created_by' || field === 'member_id') {
    const actor = field === 'member_id' ? `member:${value}` : String(value);
    return escapeInvisible(formatActor(labels, actor, members.get(actor) ?? null));
  }
  if (field === 'key_lifetime_days') return labels.members.days(Number(value));
  if (field.endsWith('_at') && typeof value === 'string') return utc(value);
  if (Array.isArray(value)) return value.map((one) => escapeInvisible(String(one))).join(', ') || '–';
  return escapeInvisible(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

const missingValueLabels = (labels: Labels): Readonly<Record<string, string>> => ({
  expires_at: labels.keys.noExpiry,
  tenant_ids: labels.members.every,
  tenant_id: labels.keys.wholeOrganization,
  disabled_at: labels.members.enabled,
  key_lifetime_days: labels.members.unlimited,
});

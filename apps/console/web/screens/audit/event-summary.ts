import type { AuditEvent } from '../../../api/audit.ts';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { day } from '../../labels/format.ts';
import { changedFields, fieldLabel, formatFieldValue } from './changed-fields.ts';
import type { EventContext } from './event-context.ts';

/** One line about an event: created key "Splunk" (8fK2aQ9x), for Contoso Ltd, 6 scopes, until 21 Nov 2027. */
export function summarizeEvent(context: EventContext, event: AuditEvent): string {
  return [summarizeAction(context, event), ...eventDetails(context, event)].join(', ');
}

function summarizeAction(context: EventContext, event: AuditEvent): string {
  const { audit } = context.labels;
  const { action, subjectType } = event;
  const actions: Readonly<Record<string, string>> = audit.actions;
  const label = actions[isRevocation(event) ? 'revoked' : action] ?? action;
  if (action === 'sign-in failed') {
    const account = event.accountName === null ? null : audit.quoted(escapeInvisible(event.accountName));
    return audit.failedSignIn(label, account);
  }
  if (action === 'signed in' || action === 'signed out' || action === 'exported') return label;
  if (action === 'ended' && event.actor === `member:${event.subjectId}`) return audit.endedOwn;
  if (subjectType === 'set_up_token') return summarizeSetUpLink(context, event);
  if (subjectType === 'operation') return audit.ranOperation(event.subjectId);
  if (subjectType === 'member_credential') {
    const credential = credentialName(context, event);
    return action === 'created' ? audit.credentialAdded(credential) : audit.summary(label, '', credential);
  }
  const requests: Readonly<Record<string, (count: number) => string>> = audit.deadLetterRequests;
  const deadLetters = event.after?.deadLetters;
  if (subjectType === 'dead_letter_request' && requests[action] && Array.isArray(deadLetters))
    return requests[action](deadLetters.length);
  const decisions = requests[String(event.after?.state)];
  if (isBulkDecision(event) && decisions) return decisions(Number(event.after?.count));
  return audit.summary(label, audit.objects[subjectType] ?? subjectType, targetName(context, event));
}

/** About many dead letters of a tenant: its event has their number, not their rows. */
const isBulkDecision = ({ subjectType }: AuditEvent): boolean => subjectType === 'dead_letters';

function summarizeSetUpLink({ labels }: EventContext, { action, after }: AuditEvent): string {
  const { quoted, setUpLinks } = labels.audit;
  const name = typeof after?.name === 'string' ? quoted(escapeInvisible(after.name)) : null;
  if (action === 'created') return name === null ? setUpLinks.issued : setUpLinks.invited(name);
  return after?.used_at || name === null ? setUpLinks.used(name) : setUpLinks.revoked(name);
}

const isRevocation = ({ subjectType, before, after }: AuditEvent): boolean =>
  subjectType === 'api_key' && Boolean(before && !before.revoked_at && after?.revoked_at);

function targetName({ labels, members }: EventContext, { before, after, subjectId }: AuditEvent): string {
  const { quoted } = labels.audit;
  const row = after ?? before;
  if (typeof row?.name === 'string') {
    const name = quoted(escapeInvisible(row.name));
    return typeof row.display === 'string' ? `${name} (${escapeInvisible(row.display)})` : name;
  }
  const member = members.get(`member:${subjectId}`);
  return member === undefined ? subjectId : quoted(escapeInvisible(member));
}

function credentialName({ labels, members }: EventContext, { before, after }: AuditEvent): string {
  const row = after ?? before;
  const kind = labels.audit.credentials[String(row?.kind)] ?? String(row?.kind);
  const name = typeof row?.name === 'string' ? `${kind} ${labels.audit.quoted(escapeInvisible(row.name))}` : kind;
  const member = members.get(`member:${row?.member_id}`);
  return member === undefined ? name : labels.audit.credentialOf(name, escapeInvisible(member));
}

const nameTenant = ({ labels, tenants }: EventContext, id: string): string =>
  labels.audit.forTenant(escapeInvisible(tenants.get(id) ?? id));

/** What is worth showing beyond the action and its target. */
function eventDetails(context: EventContext, event: AuditEvent): readonly string[] {
  const { labels, language, tenants } = context;
  const { action, subjectType, after } = event;
  const { audit, keys, newKey } = labels;
  if (subjectType === 'set_up_token')
    return action === 'created' && after ? [formatFieldValue(context, 'role', after.role)] : [];
  if (isBulkDecision(event)) return typeof after?.tenant_id === 'string' ? [nameTenant(context, after.tenant_id)] : [];
  if (action === 'changed' && !isRevocation(event))
    return changedFields(event).map((field) => {
      const [from, to] = [event.before, after].map((row) => formatFieldValue(context, field, row?.[field]));
      return `${fieldLabel(labels, field)} ${from} → ${to}`;
    });
  if (action === 'created' && subjectType === 'api_key' && after) {
    const tenant = typeof after.tenant_id === 'string' ? (tenants.get(after.tenant_id) ?? after.tenant_id) : null;
    const until =
      typeof after.expires_at === 'string' ? newKey.until(day(language, after.expires_at)) : newKey.untilRevoked;
    return [
      audit.forTenant(tenant === null ? null : escapeInvisible(tenant)),
      keys.scopes(Array.isArray(after.scopes) ? after.scopes.length : 0),
      until,
    ];
  }
  if (action === 'created' && subjectType === 'member' && after) return [formatFieldValue(context, 'role', after.role)];
  if (subjectType === 'operation' && after) {
    const tenant = tenants.get(String(after.tenantId)) ?? String(after.tenantId);
    return [
      audit.forTenant(escapeInvisible(tenant)),
      ...(typeof after.status === 'number' ? [String(after.status)] : []),
    ];
  }
  if (action === 'exported' && typeof after?.from === 'string' && typeof after.to === 'string')
    return [`${after.from.slice(0, 10)} – ${after.to.slice(0, 10)}`];
  return [];
}

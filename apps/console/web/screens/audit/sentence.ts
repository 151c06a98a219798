import type { AuditEvent } from '../../asked.ts';
import type { Words } from '../../words/en.ts';
import { day, type Language } from '../../words/words.tsx';
import { visible } from '../playground/visible.ts';
import { changedMembers, memberName, shownValue } from './members.ts';

/** What events are told in: a language, and the names of what they name by id. */
export interface Telling {
  readonly words: Words;
  readonly language: Language;
  readonly tenants: ReadonlyMap<string, string>;
  /** By how the audit calls them: `person:` and an id. */
  readonly people: ReadonlyMap<string, string>;
}

/** What was done, in words: created key «Splunk» (8fK2aQ9x) for Contoso Ltd, 6 scopes, until 21 Nov 2027. */
export function sentenceOf(telling: Telling, event: AuditEvent): string {
  const { audit } = telling.words;
  const { act, subjectType } = event;
  const acts: Readonly<Record<string, string>> = audit.acts;
  const subjects: Readonly<Record<string, string>> = audit.subjects;
  const said = acts[isRevocation(event) ? 'revoked' : act] ?? act;
  if (act === 'sign-in failed')
    return audit.failedAs(said, event.accountName === null ? null : `«${visible(event.accountName)}»`);
  const isOwn = event.actor === `person:${event.subjectId}`;
  if (act === 'signed in' || act === 'signed out' || act === 'exported' || (act === 'ended' && isOwn))
    return [act === 'ended' ? audit.endedOwn : said, ...moreOf(telling, event)].join(', ');
  return [
    audit.sentence(said, subjects[subjectType] ?? subjectType, nameOf(telling, event)),
    ...moreOf(telling, event),
  ].join(', ');
}

export const isRevocation = ({ subjectType, before, after }: AuditEvent): boolean =>
  subjectType === 'api_key' && Boolean(before && !before.revoked_at && after?.revoked_at);

function nameOf({ words, people }: Telling, { before, after, subjectType, subjectId }: AuditEvent): string {
  const row = after ?? before;
  if (subjectType === 'operation') return subjectId;
  if (subjectType === 'person_credential') {
    const factors: Readonly<Record<string, string>> = words.people.factors;
    const kind = factors[String(row?.kind)] ?? String(row?.kind);
    const named = typeof row?.name === 'string' ? `${kind} «${visible(row.name)}»` : kind;
    const whose = people.get(`person:${row?.person_id}`);
    return whose === undefined ? named : words.audit.proofOf(named, visible(whose));
  }
  if (typeof row?.name === 'string') {
    const name = `«${visible(row.name)}»`;
    return typeof row.display === 'string' ? `${name} (${visible(row.display)})` : name;
  }
  const person = people.get(`person:${subjectId}`);
  return person === undefined ? subjectId : `«${visible(person)}»`;
}

/** What else is worth knowing at a glance. */
function moreOf(telling: Telling, event: AuditEvent): readonly string[] {
  const { words, language, tenants } = telling;
  const { act, subjectType, after } = event;
  const { audit, keys, newKey } = words;
  if (act === 'changed' && !isRevocation(event))
    return changedMembers(event).map(
      (member) =>
        `${memberName(words, member)} ${shownValue(telling, member, event.before?.[member])} → ${shownValue(telling, member, after?.[member])}`,
    );
  if (act === 'created' && subjectType === 'api_key' && after) {
    const tenant = typeof after.tenant_id === 'string' ? (tenants.get(after.tenant_id) ?? after.tenant_id) : keys.whole;
    const ends = typeof after.expires_at === 'string' ? newKey.until(day(language, after.expires_at)) : newKey.forever;
    return [audit.for(visible(tenant)), keys.scopes(Array.isArray(after.scopes) ? after.scopes.length : 0), ends];
  }
  if (act === 'created' && subjectType === 'person' && after) return [shownValue(telling, 'role', after.role)];
  if (subjectType === 'operation' && after) {
    const tenant = tenants.get(String(after.tenantId)) ?? String(after.tenantId);
    return [audit.for(visible(tenant)), ...(typeof after.status === 'number' ? [String(after.status)] : [])];
  }
  if (act === 'exported' && typeof after?.from === 'string' && typeof after.to === 'string')
    return [`${after.from.slice(0, 10)} – ${after.to.slice(0, 10)}`];
  return [];
}

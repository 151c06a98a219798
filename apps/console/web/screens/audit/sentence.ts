import type { AuditEvent } from '../../asked.ts';
import type { Words } from '../../words/en.ts';

/** What was done, in words: revoked key «Splunk» (tscope_live_8fK2…). */
export function sentenceOf({ audit }: Words, event: AuditEvent): string {
  const { act, subjectType, subjectId, before, after } = event;
  const acts: Readonly<Record<string, string>> = audit.acts;
  const subjects: Readonly<Record<string, string>> = audit.subjects;
  const isRevoked = subjectType === 'api_key' && !before?.revoked_at && Boolean(before && after?.revoked_at);
  const said = acts[isRevoked ? 'revoked' : act] ?? act;
  if (act.startsWith('sign') || act === 'exported') return said;
  return audit.sentence(said, subjects[subjectType] ?? subjectType, nameOf(event) ?? subjectId);
}

function nameOf({ before, after, subjectType, subjectId }: AuditEvent): string | null {
  if (subjectType === 'operation') return subjectId;
  const row = after ?? before;
  if (typeof row?.name !== 'string') return null;
  return typeof row.display === 'string' ? `«${row.name}» (${row.display})` : `«${row.name}»`;
}

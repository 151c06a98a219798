import type { Labels } from './labels/en.ts';

/** The label of an actor of the audit log: the name of a member, else the source of the change. */
export function formatActor(labels: Labels, actor: string, memberName: string | null = null): string {
  if (memberName !== null) return memberName;
  const [kind = '', ...rest] = actor.split(':');
  const subject = rest.join(':');
  const { sources } = labels.audit;
  if (kind === 'cli') return subject === '' ? sources.cli : `${sources.cli} (${subject})`;
  if (kind === 'sign-in') return sources.signIn;
  if (kind === 'set-up') return sources.setUp;
  if (kind === 'ingest') return sources.ingest;
  if (kind === 'jobs') return sources.jobs;
  if (kind === 'database') return `${sources.database} (${subject})`;
  return subject === '' ? kind : subject;
}

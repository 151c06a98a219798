import type { Labels } from './labels/en.ts';

/** Who the audit names, in labels: a person by name where it is known, else the way the change came. */
export function formatActor(labels: Labels, actor: string, known: string | null = null): string {
  if (known !== null) return known;
  const [kind = '', ...rest] = actor.split(':');
  const of = rest.join(':');
  const { sources: by } = labels.audit;
  if (kind === 'cli') return of === '' ? by.cli : `${by.cli} (${of})`;
  if (kind === 'sign-in') return by.signIn;
  if (kind === 'set-up') return by.setUp;
  if (kind === 'database') return `${by.database} (${of})`;
  return of === '' ? kind : of;
}

import type { Words } from './words/en.ts';

/** Who the audit names, in words: a person by name where it is known, else the way the change came. */
export function actorName(words: Words, actor: string, known: string | null = null): string {
  if (known !== null) return known;
  const [kind = '', ...rest] = actor.split(':');
  const of = rest.join(':');
  const { by } = words.audit;
  if (kind === 'cli') return of === '' ? by.cli : `${by.cli} (${of})`;
  if (kind === 'sign-in') return by.signIn;
  if (kind === 'set-up') return by.setUp;
  if (kind === 'database') return `${by.database} (${of})`;
  return of === '' ? kind : of;
}

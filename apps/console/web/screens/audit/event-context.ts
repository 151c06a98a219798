import type { Labels } from '../../labels/en.ts';
import type { Language } from '../../labels/language.tsx';

/** What formats an event: the language, and the names of what the event refers to by id. */
export interface EventContext {
  readonly labels: Labels;
  readonly language: Language;
  readonly tenants: ReadonlyMap<string, string>;
  /** By actor: `member:` and an id. */
  readonly members: ReadonlyMap<string, string>;
}

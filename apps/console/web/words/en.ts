import { audit } from './en/audit.ts';
import { feeds } from './en/feeds.ts';
import { frame } from './en/frame.ts';
import { keys } from './en/keys.ts';
import { letters } from './en/letters.ts';
import { people } from './en/people.ts';
import { playground } from './en/playground.ts';
import { signIn } from './en/sign-in.ts';

/** Every sentence of the console. The Polish modules satisfy the types of these, so that a missing sentence does not compile. */
export const en = {
  product: 'Tenantscope',
  language: 'English',
  ...frame,
  ...signIn,
  ...keys,
  ...playground,
  ...feeds,
  ...letters,
  ...audit,
  ...people,
};

export type Words = typeof en;

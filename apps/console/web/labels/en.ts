import { audit } from './en/audit.ts';
import { deadLetters } from './en/dead-letters.ts';
import { feeds } from './en/feeds.ts';
import { frame } from './en/frame.ts';
import { keys } from './en/keys.ts';
import { members } from './en/members.ts';
import { playground } from './en/playground.ts';
import { signIn } from './en/sign-in.ts';

/** Every text of the console. The Polish modules satisfy the types of these, so that a missing text does not compile. */
export const en = {
  product: 'Tenantscope',
  language: 'English',
  ...frame,
  ...signIn,
  ...keys,
  ...playground,
  ...feeds,
  ...deadLetters,
  ...audit,
  ...members,
};

export type Labels = typeof en;

import type { Labels } from './en.ts';
import { audit } from './pl/audit.ts';
import { deadLetters } from './pl/dead-letters.ts';
import { feeds } from './pl/feeds.ts';
import { frame } from './pl/frame.ts';
import { keys } from './pl/keys.ts';
import { members } from './pl/members.ts';
import { playground } from './pl/playground.ts';
import { signIn } from './pl/sign-in.ts';

export const pl = {
  product: 'Tenantscope',
  language: 'Polski',
  ...frame,
  ...signIn,
  ...keys,
  ...playground,
  ...feeds,
  ...deadLetters,
  ...audit,
  ...members,
} satisfies Labels;

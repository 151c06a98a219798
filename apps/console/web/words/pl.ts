import type { Words } from './en.ts';
import { audit } from './pl/audit.ts';
import { feeds } from './pl/feeds.ts';
import { frame } from './pl/frame.ts';
import { keys } from './pl/keys.ts';
import { letters } from './pl/letters.ts';
import { people } from './pl/people.ts';
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
  ...letters,
  ...audit,
  ...people,
} satisfies Words;

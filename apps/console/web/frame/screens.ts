import type { Role } from '../asked.ts';

const everybody: readonly Role[] = ['admin', 'officer', 'viewer'];

export interface Screen {
  readonly name: 'keys' | 'playground' | 'feeds' | 'deadLetters' | 'audit' | 'people';
  readonly to: '/keys' | '/playground' | '/feeds' | '/feeds/dead-letters' | '/audit' | '/people';
  /** Behind `g`; the same in every language. */
  readonly letter: string;
  readonly roles: readonly Role[];
  /** Stands below another one, which leads to it. */
  readonly isBelow?: true;
}

/** Every screen there is, in the order of the rail, and who may open it. */
export const screens: readonly Screen[] = [
  { name: 'keys', to: '/keys', letter: 'k', roles: ['admin'] },
  { name: 'playground', to: '/playground', letter: 'p', roles: ['admin', 'officer'] },
  { name: 'feeds', to: '/feeds', letter: 'f', roles: everybody },
  { name: 'deadLetters', to: '/feeds/dead-letters', letter: 'd', roles: everybody, isBelow: true },
  { name: 'audit', to: '/audit', letter: 'a', roles: everybody },
  { name: 'people', to: '/people', letter: 'o', roles: everybody },
];

export const screensOf = (role: Role): readonly Screen[] => screens.filter(({ roles }) => roles.includes(role));

export const screenAt = (path: string): Screen | null => screens.find(({ to }) => to === path) ?? null;

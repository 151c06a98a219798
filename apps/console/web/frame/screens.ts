import type { Role } from '../../api/route.ts';
import type { Labels } from '../labels/en.ts';

const allRoles: readonly Role[] = ['admin', 'officer', 'viewer'];

export interface Screen {
  readonly name: 'keys' | 'playground' | 'feeds' | 'deadLetters' | 'audit' | 'members';
  readonly to: '/keys' | '/playground' | '/feeds' | '/feeds/dead-letters' | '/audit' | '/members';
  /** The key after `g`; the same in every language. */
  readonly shortcut: string;
  readonly roles: readonly Role[];
  /** Whether it is reached from another screen, not from the rail. */
  readonly isBelow?: true;
}

/** Every screen, in the order of the rail, with the roles that may open it. */
const screens: readonly Screen[] = [
  { name: 'keys', to: '/keys', shortcut: 'k', roles: ['admin'] },
  { name: 'playground', to: '/playground', shortcut: 'p', roles: ['admin', 'officer'] },
  { name: 'feeds', to: '/feeds', shortcut: 'f', roles: allRoles },
  { name: 'deadLetters', to: '/feeds/dead-letters', shortcut: 'd', roles: allRoles, isBelow: true },
  { name: 'audit', to: '/audit', shortcut: 'a', roles: allRoles },
  { name: 'members', to: '/members', shortcut: 'o', roles: allRoles },
];

export const screensForRole = (role: Role): readonly Screen[] => screens.filter(({ roles }) => roles.includes(role));

/** The label of a screen. Members other than administrators see only their own account on the members screen. */
export const screenLabel = (labels: Labels['screens'], name: Screen['name'], role: Role): string =>
  name === 'members' && role !== 'admin' ? labels.account : labels[name];

export const findScreen = (path: string): Screen | null => screens.find(({ to }) => to === path) ?? null;

import { routes } from '@tenantscope/console';

// What can be knocked at.

export const id = '00000000-0000-4000-8000-000000000000';
export const apiPath = (path: string) => `/console/api${path.replace(':id', id)}`;

/** What answers without a session. */
export const open: [string, string][] = [
  ['GET', '/console/api/sign-in'],
  ['GET', '/console/auth/start'],
  ['GET', '/console/auth/callback'],
  ['POST', '/console/api/sign-in/passkey/options'],
  ['POST', '/console/api/sign-in/passkey/verify'],
  ['POST', '/console/api/set-up/passkey/options'],
  ['POST', '/console/api/sign-in/demo'],
  ['POST', '/console/api/sign-in/local'],
  ['POST', '/console/api/set-up'],
  ['POST', '/console/api/sign-out'],
];
export const closed = routes.map(({ method, path }): [string, string] => [method, apiPath(path)]);
export const everything = [...open, ...closed];
export const paths = [...new Set(everything.map(([, path]) => path))];

import { routes } from '@tenantscope/console';

// The paths of the console.

export const id = '00000000-0000-4000-8000-000000000000';
export const apiPath = (path: string) => `/console/api${path.replace(':id', id)}`;

/** Routes that need no session. */
export const publicRoutes: [string, string][] = [
  ['GET', '/console/api/sign-in'],
  ['GET', '/console/auth/start'],
  ['GET', '/console/auth/callback'],
  ['POST', '/console/api/sign-in/passkey/options'],
  ['POST', '/console/api/sign-in/passkey/verify'],
  ['POST', '/console/api/set-up/passkey/options'],
  ['POST', '/console/api/sign-in/demo'],
  ['POST', '/console/api/sign-in/local'],
  ['POST', '/console/api/set-up'],
  ['POST', '/console/api/set-up/token'],
  ['POST', '/console/api/sign-out'],
];
export const protectedRoutes = routes.map(({ method, path }): [string, string] => [method, apiPath(path)]);
export const allRoutes = [...publicRoutes, ...protectedRoutes];
export const paths = [...new Set(allRoutes.map(([, path]) => path))];

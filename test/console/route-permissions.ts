import type { Role } from '@tenantscope/store/console';

const everyone = ['admin', 'officer', 'viewer'] as const;
const admins = ['admin'] as const;
const playground = ['admin', 'officer'] as const;

/** Whether the member must have authenticated within the last minutes: for every input, for some, or for none. */
export type Reauthentication = 'always' | 'sometimes' | 'never';

/**
 * Who may use each endpoint of the console. Written by hand from the contract, never derived from the routes: a route that is declared for more
 * roles than here, or that no longer requires recent authentication, fails a test although the declaration is what the server enforces.
 */
export const routePermissions: readonly (readonly [
  route: string,
  roles: readonly Role[],
  reauthentication: Reauthentication,
])[] = [
  ['GET /me', everyone, 'never'],
  ['POST /reauthenticate', everyone, 'never'],
  ['GET /sessions', everyone, 'never'],
  ['POST /sessions/:id/end', everyone, 'never'],
  ['GET /role-contacts', everyone, 'never'],
  ['GET /credentials', everyone, 'never'],
  ['POST /credentials/passkey/options', everyone, 'always'],
  ['POST /credentials/passkey', everyone, 'always'],
  ['POST /credentials/:id/remove', everyone, 'always'],
  // The current password is part of the request.
  ['POST /credentials/password', everyone, 'never'],
  ['POST /credentials/recovery-codes', everyone, 'always'],
  ['POST /credentials/authenticator', everyone, 'always'],
  ['PATCH /organization', admins, 'always'],
  ['GET /settled', everyone, 'never'],
  ['GET /feeds', everyone, 'never'],
  ['GET /feeds/activity', everyone, 'never'],
  ['GET /keys', admins, 'never'],
  ['GET /key-names', admins, 'never'],
  ['GET /keys/:id', admins, 'never'],
  ['POST /keys', admins, 'sometimes'],
  ['POST /keys/:id/revoke', admins, 'never'],
  ['PATCH /keys/:id', admins, 'never'],
  ['GET /operations', playground, 'never'],
  ['POST /playground/run', playground, 'never'],
  ['GET /playground/history', playground, 'never'],
  ['GET /dead-letters', everyone, 'never'],
  ['GET /dead-letters/:id', admins, 'never'],
  ['POST /dead-letters/requests', admins, 'sometimes'],
  ['GET /dead-letters/requests/:id', admins, 'never'],
  ['GET /audit', everyone, 'never'],
  ['GET /audit/verify', admins, 'never'],
  ['GET /audit/export', admins, 'never'],
  ['GET /members', admins, 'never'],
  ['POST /members/:id', admins, 'always'],
  ['POST /members/:id/end-sessions', admins, 'never'],
  ['GET /invitations', admins, 'never'],
  ['POST /invitations', admins, 'always'],
  ['POST /invitations/:id/revoke', admins, 'never'],
];

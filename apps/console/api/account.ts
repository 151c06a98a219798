import * as z from 'zod/mini';
import { credentialList, passkeyName } from './credentials.ts';
import { newPassword, totpSetUp } from './password.ts';
import { defineRoute, noInput, readonlyArray, roles } from './route.ts';

const currentPassword = z.string().check(z.minLength(1), z.maxLength(1_024));

/** The current password is required with a second factor: a code, or a passkey of the member. */
export const changePassword = defineRoute({
  method: 'POST',
  path: '/credentials/password',
  roles,
  input: z.union([
    z.strictObject({
      current: currentPassword,
      second: z.string().check(z.trim(), z.minLength(1), z.maxLength(64)),
      password: newPassword,
    }),
    z.strictObject({ current: currentPassword, passkey: z.looseObject({}), password: newPassword }),
  ]),
  /** How many other sessions ended. */
  output: z.object({ ended: z.number() }),
});

/** Replaces all recovery codes; the new ones are returned once. */
export const renewRecoveryCodes = defineRoute({
  method: 'POST',
  path: '/credentials/recovery-codes',
  roles,
  input: noInput,
  output: z.object({ recoveryCodes: readonlyArray(z.string()) }),
  requiresReauthentication: () => true,
});

/** Enrols another authenticator app. */
export const addAuthenticator = defineRoute({
  method: 'POST',
  path: '/credentials/authenticator',
  roles,
  input: z.strictObject({ name: passkeyName, totp: totpSetUp }),
  output: credentialList,
  requiresReauthentication: () => true,
});

import * as z from 'zod/mini';
import { defineRoute, idInput, noInput, noParameters, nullableString, readonlyArray, roles } from './route.ts';

const memberCredential = z.object({
  id: z.string(),
  kind: z.enum(['password', 'passkey', 'totp', 'recovery']),
  name: nullableString,
  createdAt: z.string(),
  usedAt: nullableString,
});
/** A means of authentication of a member; never its secret. */
export type MemberCredential = z.output<typeof memberCredential>;

export const credentialList = z.object({ credentials: readonlyArray(memberCredential) });

/** What the browser's `navigator.credentials.create` takes. */
export const passkeyCreationOptions = z.looseObject({
  challenge: z.string(),
  rp: z.looseObject({ name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number() })),
});

export const passkeyName = z.string().check(z.trim(), z.minLength(1), z.maxLength(100));

export const listCredentials = defineRoute({
  method: 'GET',
  path: '/credentials',
  roles,
  input: noParameters,
  output: credentialList,
});

export const offerPasskeyCreation = defineRoute({
  method: 'POST',
  path: '/credentials/passkey/options',
  roles,
  input: noInput,
  output: passkeyCreationOptions,
  requiresReauthentication: () => true,
});

export const addPasskey = defineRoute({
  method: 'POST',
  path: '/credentials/passkey',
  roles,
  input: z.strictObject({ name: passkeyName, response: z.unknown() }),
  output: credentialList,
  requiresReauthentication: () => true,
});

export const removeCredential = defineRoute({
  method: 'POST',
  path: '/credentials/:id/remove',
  roles,
  input: idInput,
  output: credentialList,
  requiresReauthentication: () => true,
});

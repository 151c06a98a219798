import * as z from 'zod/mini';
import { passkeyCreationOptions, passkeyName } from './credentials.ts';
import { newPassword, totpSetUp } from './password.ts';
import { definePublicRoute, noInput, noOutput, noParameters, readonlyArray, roles } from './route.ts';

const memberName = z.string().check(z.trim(), z.minLength(1), z.maxLength(100));

const signInMethods = z.object({
  oidc: z.nullable(z.object({ name: z.string() })),
  local: z.boolean(),
  /** Whether local accounts can have passkeys at this host name. */
  passkey: z.boolean(),
  demo: z.boolean(),
  /** Why the sign-in at the identity provider that just ended was refused; reported once. */
  error: z.optional(z.object({ code: z.string(), message: z.string() })),
});
export type SignInMethods = z.output<typeof signInMethods>;

export const listSignInMethods = definePublicRoute({
  method: 'GET',
  path: '/sign-in',
  input: noParameters,
  output: signInMethods,
});

export const signInLocally = definePublicRoute({
  method: 'POST',
  path: '/sign-in/local',
  input: z.strictObject({
    name: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
    password: z.string().check(z.minLength(1), z.maxLength(1_024)),
    /** Six digits of an authenticator, or a recovery code. */
    second: z.string().check(z.trim(), z.minLength(1), z.maxLength(64)),
  }),
  output: noOutput,
});

/** What the browser's `navigator.credentials.get` takes. */
export const offerPasskeySignIn = definePublicRoute({
  method: 'POST',
  path: '/sign-in/passkey/options',
  input: noInput,
  output: z.looseObject({ challenge: z.string() }),
});

export const signInByPasskey = definePublicRoute({
  method: 'POST',
  path: '/sign-in/passkey/verify',
  input: z.strictObject({ response: z.unknown() }),
  output: noOutput,
});

export const signInToDemo = definePublicRoute({
  method: 'POST',
  path: '/sign-in/demo',
  input: noInput,
  output: noOutput,
});

/** The challenge for the passkey of an account that is about to be created. */
export const offerFirstPasskey = definePublicRoute({
  method: 'POST',
  path: '/set-up/passkey/options',
  input: z.strictObject({ name: memberName }),
  output: passkeyCreationOptions,
});

/** Whatever a link contains: a part of a token is an unknown one. */
const setUpToken = z.string().check(z.maxLength(1_000));

/** Whether the token of a link can still be used, and for what. */
export const readSetUpToken = definePublicRoute({
  method: 'POST',
  path: '/set-up/token',
  input: z.strictObject({ token: setUpToken }),
  output: z.object({
    state: z.enum(['valid', 'used', 'revoked', 'expired', 'unknown']),
    /** Null: unknown. */
    invitation: z.nullable(
      z.object({
        organization: z.string(),
        role: z.enum(roles),
        /** For whom; null: from the command line. */
        name: z.nullable(z.string()),
        expiresAt: z.string(),
      }),
    ),
  }),
});
export type SetUpTokenState = z.output<(typeof readSetUpToken)['output']>;

/** Creates a local account with the token of a link, which gives its role and tenants; the recovery codes are returned once. */
export const setUp = definePublicRoute({
  method: 'POST',
  path: '/set-up',
  input: z.strictObject({
    token: setUpToken,
    name: memberName,
    password: newPassword,
    totp: z.optional(totpSetUp),
    /** What the browser returned for the offered passkey, and the name its owner gives it. */
    passkey: z.optional(z.strictObject({ name: passkeyName, response: z.unknown() })),
  }),
  output: z.object({ recoveryCodes: readonlyArray(z.string()) }),
});

export const signOut = definePublicRoute({
  method: 'POST',
  path: '/sign-out',
  input: noInput,
  /** Where the browser continues to sign out at the identity provider too. */
  output: z.object({ signOutUrl: z.optional(z.string()) }),
});

import { z } from 'zod';
import { createTransientCookie, type TransientCookie } from '../http/transient-cookie.ts';
import type { Seal } from '../seal.ts';
import { type AuthorizationState, authorizationState } from './identity-provider.ts';

const signInError = z.object({ code: z.string(), message: z.string() });
/** Why a sign-in was refused, as shown to the user. */
export type SignInError = z.infer<typeof signInError>;

/** What browsers carry to the identity provider and back. */
export interface OidcState {
  readonly authorization: TransientCookie<AuthorizationState>;
  /** Read once, by the page that shows it. */
  readonly error: TransientCookie<SignInError>;
}

const authorizationMinutes = 10;
const errorMinutes = 2;

export function createOidcState(origin: string, seal: Seal): OidcState {
  return {
    authorization: createTransientCookie(origin, seal, {
      name: 'oidc-state',
      path: '/console/auth',
      minutes: authorizationMinutes,
      shape: authorizationState,
    }),
    error: createTransientCookie(origin, seal, {
      name: 'sign-in-error',
      path: '/console/api/sign-in',
      minutes: errorMinutes,
      shape: signInError,
    }),
  };
}

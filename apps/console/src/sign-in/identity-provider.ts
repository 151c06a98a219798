import { isLoopback } from '@tenantscope/runtime';
import type { Role } from '@tenantscope/store/console';
import * as client from 'openid-client';
import { z } from 'zod';
import type { ConsoleConfig } from '../config.ts';
import { HttpError } from '../http/http-error.ts';

/** What the browser carries from the redirect to the callback. */
export const authorizationState = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  beganAtMs: z.number(),
  /** The session that is authenticated again; null: a sign-in. */
  sessionId: z.string().nullable(),
  to: z.string(),
});
export type AuthorizationState = z.infer<typeof authorizationState>;

/** The user, as the identity provider reports it. */
export interface Identity {
  /** Issuer and subject: identifies the member permanently. */
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  /** The highest role that one of the groups gives; null: none does. */
  readonly role: Role | null;
  /** Whether the provider refers to groups elsewhere, since there are too many for a token: from Microsoft Entra ID, with more than 200. */
  readonly areGroupsMissing: boolean;
}

/** A relying party by OpenID Connect: authorization code with PKCE, state and nonce; an id token is required. */
export interface IdentityProvider {
  readonly name: string;
  readonly organizationId: string;
  /** The groups that give a role. */
  readonly groups: readonly string[];
  begin(
    callbackUrl: string,
    target: Pick<AuthorizationState, 'sessionId' | 'to'>,
  ): Promise<{ url: string; state: AuthorizationState }>;
  finish(callback: URL, state: AuthorizationState): Promise<Identity>;
  /** Where to sign out at the provider; null where it has no end_session_endpoint. */
  signOutUrl(returnUrl: string): Promise<string | null>;
}

const timeoutSeconds = 5;
const clockToleranceMs = 60_000;

export function createIdentityProvider(config: ConsoleConfig): IdentityProvider | null {
  const {
    TENANTSCOPE_CONSOLE_OIDC_ISSUER: issuer,
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: clientId,
    TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
    TENANTSCOPE_CONSOLE_OIDC_GROUPS_CLAIM: groupsClaim,
  } = config;
  if (issuer === undefined || clientId === undefined || organizationId === undefined) return null;
  const roles: readonly [Role, readonly string[]][] = [
    ['admin', config.TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS],
    ['officer', config.TENANTSCOPE_CONSOLE_OIDC_OFFICER_GROUPS],
    ['viewer', config.TENANTSCOPE_CONSOLE_OIDC_VIEWER_GROUPS],
  ];
  const highestRole = (groups: readonly string[]): Role | null =>
    roles.find(([, granting]) => granting.some((group) => groups.includes(group)))?.[0] ?? null;
  const discovered = discoverOnce(new URL(issuer), clientId, config.TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET);

  return {
    name: config.TENANTSCOPE_CONSOLE_OIDC_NAME,
    organizationId,
    groups: roles.flatMap(([, granting]) => granting),

    async begin(callbackUrl, { sessionId, to }) {
      const provider = await discovered();
      const verifier = client.randomPKCECodeVerifier();
      const begun: AuthorizationState = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier,
        beganAtMs: Date.now(),
        sessionId,
        to,
      };
      const url = client.buildAuthorizationUrl(provider, {
        redirect_uri: callbackUrl,
        scope: config.TENANTSCOPE_CONSOLE_OIDC_SCOPE,
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(sessionId === null ? {} : { max_age: '0', prompt: 'login' }),
      });
      return { url: url.href, state: begun };
    },

    async finish(callback, begun) {
      const provider = await discovered();
      const tokens = await client
        .authorizationCodeGrant(provider, callback, {
          pkceCodeVerifier: begun.verifier,
          expectedState: begun.state,
          expectedNonce: begun.nonce,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
          throw toHttpError(error);
        });
      const idToken = tokens.claims();
      if (idToken === undefined) throw invalidResponse();
      if (begun.sessionId !== null && idToken.auth_time === undefined)
        throw new HttpError(
          'SIGN_IN_FAILED',
          'The identity provider does not report when you were authenticated. It has to put the claim auth_time into ID tokens.',
        );
      if (begun.sessionId !== null && (idToken.auth_time ?? 0) * 1_000 < begun.beganAtMs - clockToleranceMs)
        throw new HttpError('SIGN_IN_FAILED', 'The identity provider did not authenticate you again. Try again.');
      const claims = { ...idToken };
      if (claims[groupsClaim] === undefined && provider.serverMetadata().userinfo_endpoint !== undefined)
        Object.assign(claims, {
          ...(await client.fetchUserInfo(provider, tokens.access_token, idToken.sub).catch((error: unknown) => {
            throw toHttpError(error);
          })),
          ...idToken,
        });
      return {
        subject: `${idToken.iss} ${idToken.sub}`,
        name:
          nonEmptyText(claims.name) ??
          nonEmptyText(claims.preferred_username) ??
          nonEmptyText(claims.email) ??
          idToken.sub,
        email: nonEmptyText(claims.email),
        role: highestRole(parseGroups(claims[groupsClaim])),
        areGroupsMissing: claims[groupsClaim] === undefined && isDistributed(claims, groupsClaim),
      };
    },

    async signOutUrl(returnUrl) {
      const provider = await discovered();
      if (provider.serverMetadata().end_session_endpoint === undefined) return null;
      return client.buildEndSessionUrl(provider, { post_logout_redirect_uri: returnUrl }).href;
    },
  };
}

/** Discovers on first use, and again until it succeeds once: the console starts and runs without its identity provider. */
function discoverOnce(issuer: URL, clientId: string, secret: string | undefined): () => Promise<client.Configuration> {
  let discovered: Promise<client.Configuration> | null = null;
  const authentication: client.ClientAuth = (server, ...rest) => {
    if (secret === undefined) return client.None()(server, ...rest);
    const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const method = offered.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    return method(secret)(server, ...rest);
  };
  return () => {
    discovered ??= client
      .discovery(issuer, clientId, secret, authentication, {
        timeout: timeoutSeconds,
        execute: [
          // Without this the signature of an ID token is not verified, since the token arrives over TLS from the provider.
          client.enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' && isLoopback(issuer.hostname) ? [client.allowInsecureRequests] : []),
        ],
      })
      .catch((error: unknown) => {
        discovered = null;
        throw new HttpError('SERVICE_UNAVAILABLE', unreachable, [], { cause: error });
      });
    return discovered;
  };
}

const unreachable = 'The identity provider does not respond. Try again later.';
const invalidResponse = (cause?: unknown) =>
  new HttpError(
    'SIGN_IN_FAILED',
    'The response of the identity provider does not belong to this sign-in. Start again.',
    [],
    {
      cause,
    },
  );

function toHttpError(error: unknown): HttpError {
  if (error instanceof client.AuthorizationResponseError)
    return new HttpError('SIGN_IN_FAILED', 'The identity provider refused the sign-in.', [], { cause: error });
  const isUnreachable =
    (error instanceof TypeError && error.message === 'fetch failed') || (error as Error).name === 'TimeoutError';
  return isUnreachable
    ? new HttpError('SERVICE_UNAVAILABLE', unreachable, [], { cause: error })
    : invalidResponse(error);
}

const nonEmptyText = (claim: unknown): string | null =>
  typeof claim === 'string' && claim.trim() !== '' ? claim : null;

/** Distributed claims of OpenID Connect: the token names a source instead of the value. */
const isDistributed = (claims: Readonly<Record<string, unknown>>, name: string): boolean =>
  typeof claims._claim_names === 'object' && claims._claim_names !== null && name in claims._claim_names;

const parseGroups = (claim: unknown): readonly string[] =>
  [claim].flat().filter((group): group is string => typeof group === 'string');

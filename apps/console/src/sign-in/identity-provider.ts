import type { Role } from '@tenantscope/store';
import * as client from 'openid-client';
import { z } from 'zod';
import { type ConsoleConfig, isLoopback } from '../config.ts';
import { Refusal } from '../refusal.ts';

/** What the browser carries from the departure to the return. */
export const round = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  beganAtMs: z.number(),
  /** The session that is proved anew; null: somebody arrives. */
  sessionId: z.string().nullable(),
  to: z.string(),
});
export type Round = z.infer<typeof round>;

/** Who came back, as the identity provider says. */
export interface Identity {
  /** Issuer and subject: names the person for good. */
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  /** The highest role that one of the groups gives; null: none does. */
  readonly role: Role | null;
}

/** A relying party by OpenID Connect: authorization code with PKCE, state and nonce; an id token is required. */
export interface IdentityProvider {
  readonly name: string;
  readonly organizationId: string;
  /** What somebody without a role may ask for. */
  readonly groups: readonly string[];
  begin(back: string, wanted: Pick<Round, 'sessionId' | 'to'>): Promise<{ url: string; round: Round }>;
  finish(returned: URL, round: Round): Promise<Identity>;
  /** Where signing out goes on; null where the provider offers nothing. */
  signOutUrl(back: string): Promise<string | null>;
}

const timeoutSeconds = 5;
const clockToleranceMs = 60_000;

export function identityProvider(config: ConsoleConfig): IdentityProvider | null {
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
  const roleOf = (groups: readonly string[]): Role | null =>
    roles.find(([, giving]) => giving.some((group) => groups.includes(group)))?.[0] ?? null;
  const discovered = discoverOnce(new URL(issuer), clientId, config.TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET);

  return {
    name: config.TENANTSCOPE_CONSOLE_OIDC_NAME,
    organizationId,
    groups: roles.flatMap(([, giving]) => giving),

    async begin(back, { sessionId, to }) {
      const provider = await discovered();
      const verifier = client.randomPKCECodeVerifier();
      const begun: Round = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier,
        beganAtMs: Date.now(),
        sessionId,
        to,
      };
      const url = client.buildAuthorizationUrl(provider, {
        redirect_uri: back,
        scope: config.TENANTSCOPE_CONSOLE_OIDC_SCOPE,
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(sessionId === null ? {} : { max_age: '0', prompt: 'login' }),
      });
      return { url: url.href, round: begun };
    },

    async finish(returned, begun) {
      const provider = await discovered();
      const tokens = await client
        .authorizationCodeGrant(provider, returned, {
          pkceCodeVerifier: begun.verifier,
          expectedState: begun.state,
          expectedNonce: begun.nonce,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
          throw refusalOf(error);
        });
      const told = tokens.claims();
      if (told === undefined) throw doesNotFit();
      if (begun.sessionId !== null && (told.auth_time ?? 0) * 1_000 < begun.beganAtMs - clockToleranceMs)
        throw new Refusal('SIGN_IN_FAILED', 'The identity provider did not ask who you are. Try again.');
      const claims = { ...told };
      if (claims[groupsClaim] === undefined && provider.serverMetadata().userinfo_endpoint !== undefined)
        Object.assign(claims, {
          ...(await client.fetchUserInfo(provider, tokens.access_token, told.sub).catch((error: unknown) => {
            throw refusalOf(error);
          })),
          ...told,
        });
      return {
        subject: `${told.iss} ${told.sub}`,
        name: textOf(claims.name) ?? textOf(claims.preferred_username) ?? textOf(claims.email) ?? told.sub,
        email: textOf(claims.email),
        role: roleOf(groupsIn(claims[groupsClaim])),
      };
    },

    async signOutUrl(back) {
      const provider = await discovered();
      if (provider.serverMetadata().end_session_endpoint === undefined) return null;
      return client.buildEndSessionUrl(provider, { post_logout_redirect_uri: back }).href;
    },
  };
}

/** Asked for when it is first needed, and again until it answered once: the console starts and goes on without its identity provider. */
function discoverOnce(issuer: URL, clientId: string, secret: string | undefined): () => Promise<client.Configuration> {
  let discovered: Promise<client.Configuration> | null = null;
  const authentication: client.ClientAuth = (server, ...rest) => {
    if (secret === undefined) return client.None()(server, ...rest);
    const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const way = offered.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    return way(secret)(server, ...rest);
  };
  return () => {
    discovered ??= client
      .discovery(issuer, clientId, secret, authentication, {
        timeout: timeoutSeconds,
        execute: issuer.protocol === 'http:' && isLoopback(issuer.hostname) ? [client.allowInsecureRequests] : [],
      })
      .catch((error: unknown) => {
        discovered = null;
        throw new Refusal('SERVICE_UNAVAILABLE', silence, [], { cause: error });
      });
    return discovered;
  };
}

const silence = 'The identity provider does not answer. Try again in a moment.';
const doesNotFit = (cause?: unknown) =>
  new Refusal('SIGN_IN_FAILED', 'The identity provider’s answer does not belong to this sign-in. Begin again.', [], {
    cause,
  });

function refusalOf(error: unknown): Refusal {
  if (error instanceof client.AuthorizationResponseError)
    return new Refusal('SIGN_IN_FAILED', 'The identity provider did not let you in.', [], { cause: error });
  const isSilent =
    (error instanceof TypeError && error.message === 'fetch failed') || (error as Error).name === 'TimeoutError';
  return isSilent ? new Refusal('SERVICE_UNAVAILABLE', silence, [], { cause: error }) : doesNotFit(error);
}

const textOf = (claim: unknown): string | null => (typeof claim === 'string' && claim.trim() !== '' ? claim : null);

const groupsIn = (claim: unknown): readonly string[] =>
  [claim].flat().filter((group): group is string => typeof group === 'string');

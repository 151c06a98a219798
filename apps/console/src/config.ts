import { isIP } from 'node:net';
import { z } from 'zod';

/**
 * What the console reads from its environment.
 *
 * TENANTSCOPE_ADMIN_DATABASE_URL          read models: lanes, dead letters, states of sources
 * TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL  control schema; by default the same database
 * TENANTSCOPE_PUBLIC_URL                  base address of the api as callers know it, ends in /api/v1
 * TENANTSCOPE_CONSOLE_API_URL             the same as this process reaches it; by default the public one
 * TENANTSCOPE_CONSOLE_URL                 the console's own origin as browsers know it, such as https://console.example.com.
 *                                         It answers by this name alone: a proxy in front has to hand the name on, as Host or, where it is trusted, as X-Forwarded-Host
 * TENANTSCOPE_HOST, TENANTSCOPE_CONSOLE_PORT  where to listen: 127.0.0.1 and 8090
 * TENANTSCOPE_HEALTH_PORT                 /livez, /readyz, /metrics: 9082
 * TENANTSCOPE_TRUSTED_PROXIES             comma list of addresses or networks whose X-Forwarded-For is believed; none by default
 * TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN       on or off: accounts with a password and a second factor; on
 * TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION   id of the organization that one click signs in to, on loopback only; none by default
 * TENANTSCOPE_CONSOLE_SECRET              at least 32 characters that seal secrets of authenticators and short cookies; needed but for the demo sign-in alone.
 *                                         With another one authenticators have to be set up anew; passkeys and recovery codes go on
 * TENANTSCOPE_CONSOLE_OIDC_ISSUER         identity provider whose people sign in; none by default. http on loopback only
 * TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID, _CLIENT_SECRET  as registered there, with <console url>/console/auth/callback to return to; no secret: a public client
 * TENANTSCOPE_CONSOLE_OIDC_NAME           what its button says: Single sign-on
 * TENANTSCOPE_CONSOLE_OIDC_SCOPE          what is asked for: openid profile email
 * TENANTSCOPE_CONSOLE_OIDC_GROUPS_CLAIM   the claim that lists a person's groups: groups
 * TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS, _OFFICER_GROUPS, _VIEWER_GROUPS  comma lists: the highest role that one of the groups gives
 * TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION   id of the organization they belong to
 * TENANTSCOPE_LOG_LEVEL                   info
 */
export const consoleConfig = z
  .object({
    TENANTSCOPE_ADMIN_DATABASE_URL: z.url(),
    TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: z.url().optional(),
    TENANTSCOPE_PUBLIC_URL: z.url().transform(withoutSlash),
    TENANTSCOPE_CONSOLE_API_URL: z.url().transform(withoutSlash).optional(),
    TENANTSCOPE_CONSOLE_URL: z.url().transform((url) => new URL(url).origin),
    TENANTSCOPE_HOST: z.string().default('127.0.0.1'),
    TENANTSCOPE_CONSOLE_PORT: port(8090),
    TENANTSCOPE_HEALTH_PORT: port(9082),
    TENANTSCOPE_TRUSTED_PROXIES: list(),
    TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: z.enum(['on', 'off']).default('on'),
    TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: z.guid().optional(),
    TENANTSCOPE_CONSOLE_SECRET: z.string().min(32).optional(),
    TENANTSCOPE_CONSOLE_OIDC_ISSUER: z.url().optional(),
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: z.string().min(1).optional(),
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
    TENANTSCOPE_CONSOLE_OIDC_NAME: z.string().min(1).default('Single sign-on'),
    TENANTSCOPE_CONSOLE_OIDC_SCOPE: z.string().default('openid profile email'),
    TENANTSCOPE_CONSOLE_OIDC_GROUPS_CLAIM: z.string().min(1).default('groups'),
    TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: list(),
    TENANTSCOPE_CONSOLE_OIDC_OFFICER_GROUPS: list(),
    TENANTSCOPE_CONSOLE_OIDC_VIEWER_GROUPS: list(),
    TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: z.guid().optional(),
    TENANTSCOPE_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  })
  .refine(
    (config) =>
      config.TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION === undefined ||
      (isLoopback(config.TENANTSCOPE_HOST) && isLoopback(new URL(config.TENANTSCOPE_CONSOLE_URL).hostname)),
    { path: ['TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION'], message: 'the demo sign-in exists on loopback only' },
  )
  .refine(
    ({
      TENANTSCOPE_CONSOLE_SECRET: secret,
      TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: local,
      TENANTSCOPE_CONSOLE_OIDC_ISSUER: issuer,
    }) => secret !== undefined || (local === 'off' && issuer === undefined),
    { path: ['TENANTSCOPE_CONSOLE_SECRET'], message: 'people who sign in need a secret that seals theirs' },
  )
  .refine(
    ({ TENANTSCOPE_CONSOLE_OIDC_ISSUER: issuer }) =>
      issuer === undefined || issuer.startsWith('https:') || isLoopback(new URL(issuer).hostname),
    { path: ['TENANTSCOPE_CONSOLE_OIDC_ISSUER'], message: 'outside loopback an issuer is reached by https' },
  )
  .refine(
    (config) =>
      config.TENANTSCOPE_CONSOLE_OIDC_ISSUER === undefined ||
      (config.TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID !== undefined &&
        config.TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION !== undefined &&
        config.TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS.length > 0),
    {
      path: ['TENANTSCOPE_CONSOLE_OIDC_ISSUER'],
      message: 'an issuer needs a client id, an organization and groups of administrators',
    },
  )
  .refine(({ TENANTSCOPE_CONSOLE_URL: url }) => url.startsWith('https:') || isLoopback(new URL(url).hostname), {
    path: ['TENANTSCOPE_CONSOLE_URL'],
    message: 'outside loopback the console is served by https',
  });

export type ConsoleConfig = z.infer<typeof consoleConfig>;

/** 127.0.0.0/8, ::1 and names below localhost, which browsers resolve to themselves. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) === 4) return bare.startsWith('127.');
  return bare === '::1' || bare === 'localhost' || bare.endsWith('.localhost');
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function list() {
  return z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((item) => item.trim() || []));
}

function port(preset: number) {
  return z.coerce.number().int().min(0).max(65_535).default(preset);
}

import { databaseUrl, isLoopback, optionalDatabaseUrl, postgresVariables, secret } from '@tenantscope/runtime';
import { z } from 'zod';

/**
 * The environment variables of the console, besides those of `postgresVariables`. A secret may be in a file: NAME_FILE.
 *
 * TENANTSCOPE_CONSOLE_DATABASE_URL        read models: lanes, dead letters, source states
 * TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL  control schema; by default the same database
 * TENANTSCOPE_PUBLIC_URL                  base URL of the API for its clients, ends in /api/v1
 * TENANTSCOPE_CONSOLE_API_URL             the same for this process; by default the public one
 * TENANTSCOPE_CONSOLE_URL                 the console's origin in browsers, such as https://console.example.com; other host names are refused.
 *                                         A proxy has to pass the host name on, as Host or, if it is trusted, as X-Forwarded-Host
 * TENANTSCOPE_HOST, TENANTSCOPE_CONSOLE_PORT  address and port to listen on: 127.0.0.1 and 8090
 * TENANTSCOPE_HEALTH_PORT                 /livez, /readyz, /metrics: 9082
 * TENANTSCOPE_TRUSTED_PROXIES             comma-separated addresses or networks whose X-Forwarded-For is trusted; none by default
 * TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN       on or off: accounts with a password and a second factor; by default on
 * TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION   id of the organization of the demo sign-in, on loopback only; none by default
 * TENANTSCOPE_CONSOLE_SECRET              at least 32 characters; encrypts authenticator secrets and transient cookies. Required unless only the demo sign-in is enabled.
 *                                         After a change authenticators have to be set up again; passkeys and recovery codes stay valid
 * TENANTSCOPE_CONSOLE_OIDC_ISSUER         identity provider of single sign-on; none by default. http on loopback only
 * TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID, _CLIENT_SECRET  as registered there, with the redirect URI <console url>/console/auth/callback; no secret: a public client
 * TENANTSCOPE_CONSOLE_OIDC_NAME           label of its button: Single sign-on
 * TENANTSCOPE_CONSOLE_OIDC_SCOPE          requested scopes: openid profile email
 * TENANTSCOPE_CONSOLE_OIDC_GROUPS_CLAIM   the claim that lists a user's groups: groups
 * TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS, _OFFICER_GROUPS, _VIEWER_GROUPS  comma-separated groups; the highest matching role applies
 * TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION   id of the organization of its users
 * TENANTSCOPE_LOG_LEVEL                   info
 */
export const consoleConfig = z
  .object({
    TENANTSCOPE_CONSOLE_DATABASE_URL: databaseUrl(),
    TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL: optionalDatabaseUrl(),
    ...postgresVariables,
    TENANTSCOPE_PUBLIC_URL: z.url().transform(withoutSlash),
    TENANTSCOPE_CONSOLE_API_URL: z.url().transform(withoutSlash).optional(),
    TENANTSCOPE_CONSOLE_URL: z.url().transform((url) => new URL(url).origin),
    TENANTSCOPE_HOST: z.string().default('127.0.0.1'),
    TENANTSCOPE_CONSOLE_PORT: port(8090),
    TENANTSCOPE_HEALTH_PORT: port(9082),
    TENANTSCOPE_TRUSTED_PROXIES: list(),
    TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: z.enum(['on', 'off']).default('on'),
    TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: z.guid().optional(),
    TENANTSCOPE_CONSOLE_SECRET: secret(z.string().min(32).optional()),
    TENANTSCOPE_CONSOLE_OIDC_ISSUER: z.url().optional(),
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: z.string().min(1).optional(),
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: secret(z.string().min(1).optional()),
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
    {
      path: ['TENANTSCOPE_CONSOLE_SECRET'],
      message: 'local accounts and single sign-on need a secret to encrypt with',
    },
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

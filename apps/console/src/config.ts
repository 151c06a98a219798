import {
  cellVariables,
  commaList,
  databaseUrl,
  drainVariable,
  isLoopback,
  optionalDatabaseUrl,
  port,
  postgresVariables,
  processVariables,
  secret,
  variable,
} from '@tenantscope/runtime';
import { z } from 'zod';

/** The environment variables of the console. */
export const consoleConfig = z
  .object({
    TENANTSCOPE_CONSOLE_DATABASE_URL: databaseUrl('Read models, login tenantscope_console.'),
    TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL: optionalDatabaseUrl(
      'Control database, same login. By default the database of the read models.',
    ),
    ...cellVariables,
    ...postgresVariables,
    TENANTSCOPE_PUBLIC_URL: variable(
      'Base URL of the API for its clients. It ends in /api/v1.',
      z.url().transform(withoutSlash),
    ),
    TENANTSCOPE_CONSOLE_API_URL: variable(
      'Base URL of the API for this process. By default TENANTSCOPE_PUBLIC_URL.',
      z.url().transform(withoutSlash).optional(),
    ),
    TENANTSCOPE_CONSOLE_URL: variable(
      'Origin of the console in browsers, such as https://console.example.com; other host names are refused. A proxy must pass the host name on, as Host or, if the proxy is trusted, as X-Forwarded-Host.',
      z.url().transform((url) => new URL(url).origin),
    ),
    TENANTSCOPE_CONSOLE_PORT: port('Port of the console.', 8090),
    TENANTSCOPE_HEALTH_PORT: port('Port of /livez, /readyz and /metrics.', 9082),
    TENANTSCOPE_TRUSTED_PROXIES: list('Comma list of addresses or networks whose X-Forwarded-For is trusted.'),
    TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: variable(
      'Accounts with a password and a second factor.',
      z.enum(['on', 'off']).default('on'),
    ),
    TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: variable(
      'Id of the organization of the demo sign-in, on loopback only.',
      z.guid().optional(),
    ),
    TENANTSCOPE_CONSOLE_SECRET: secret(
      'At least 32 characters; encrypts authenticator secrets and transient cookies. Required unless only the demo sign-in is enabled. After a change authenticators must be set up again; passkeys and recovery codes stay valid.',
      z.string().min(32).optional(),
    ),
    TENANTSCOPE_CONSOLE_OIDC_ISSUER: variable(
      'Issuer URL of the identity provider of single sign-on; http on loopback only. Re-authentication needs the claim auth_time in its ID tokens; in Microsoft Entra ID it is an optional claim.',
      z.url().optional(),
    ),
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: variable(
      'Client id at the identity provider, registered with the redirect URI <console URL>/console/auth/callback.',
      z.string().min(1).optional(),
    ),
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: secret(
      'Client secret at the identity provider. Without it the console is a public client.',
      z.string().min(1).optional(),
    ),
    TENANTSCOPE_CONSOLE_OIDC_NAME: variable(
      'Label of the button of single sign-on.',
      z.string().min(1).default('Single sign-on'),
    ),
    TENANTSCOPE_CONSOLE_OIDC_SCOPE: variable('Requested scopes.', z.string().default('openid profile email')),
    TENANTSCOPE_CONSOLE_OIDC_GROUPS_CLAIM: variable(
      "Claim that lists a user's groups. Microsoft Entra ID lists them up to 200; with more, limit the claim to groups that are assigned to the application.",
      z.string().min(1).default('groups'),
    ),
    TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: list(
      'Comma list of groups whose members are administrators. The highest matching role applies.',
    ),
    TENANTSCOPE_CONSOLE_OIDC_OFFICER_GROUPS: list('Comma list of groups whose members are officers.'),
    TENANTSCOPE_CONSOLE_OIDC_VIEWER_GROUPS: list('Comma list of groups whose members are viewers.'),
    TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: variable(
      'Id of the organization of users who sign in by the identity provider.',
      z.guid().optional(),
    ),
    ...drainVariable,
    ...processVariables,
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

function list(description: string) {
  return variable(description, commaList().default([]));
}

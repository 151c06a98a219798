import { isIP } from 'node:net';
import { z } from 'zod';

/**
 * What the console reads from its environment.
 *
 * TENANTSCOPE_ADMIN_DATABASE_URL          read models: lanes, dead letters, states of sources
 * TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL  control schema; by default the same database
 * TENANTSCOPE_PUBLIC_URL                  base address of the api as callers know it, ends in /api/v1
 * TENANTSCOPE_CONSOLE_API_URL             the same as this process reaches it; by default the public one
 * TENANTSCOPE_CONSOLE_URL                 the console's own origin as browsers know it, such as https://console.example.com
 * TENANTSCOPE_HOST, TENANTSCOPE_CONSOLE_PORT  where to listen: 127.0.0.1 and 8090
 * TENANTSCOPE_HEALTH_PORT                 /livez, /readyz, /metrics: 9082
 * TENANTSCOPE_TRUSTED_PROXIES             comma list of addresses or networks whose X-Forwarded-For is believed; none by default
 * TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN       on or off: accounts with a password and a second factor; on
 * TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION   id of the organization that one click signs in to, on loopback only; none by default
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
    TENANTSCOPE_TRUSTED_PROXIES: z
      .string()
      .default('')
      .transform((text) => text.split(',').flatMap((item) => item.trim() || [])),
    TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: z.enum(['on', 'off']).default('on'),
    TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: z.guid().optional(),
    TENANTSCOPE_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  })
  .refine(
    (config) =>
      config.TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION === undefined ||
      (isLoopback(config.TENANTSCOPE_HOST) && isLoopback(new URL(config.TENANTSCOPE_CONSOLE_URL).hostname)),
    { path: ['TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION'], message: 'the demo sign-in exists on loopback only' },
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

function port(preset: number) {
  return z.coerce.number().int().min(0).max(65_535).default(preset);
}

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ApiErrorDetail, readErrorBody } from '@tenantscope/client';
import { CommandError, usageError } from '../command-error.ts';
import type { CommandContext } from '../context.ts';
import { readApiSettings } from './connection-settings.ts';
import type { Environment } from './environment.ts';

/** The address and tenant of API requests; the defaults come from the environment, or from the state file of `npm start`. */
export interface ApiAccess {
  readonly url?: string;
  /** Service id or upstream id, for a key that reads several tenants. */
  readonly tenant?: string;
}

const timeoutMs = 30_000;

const tenantRequired = 'the key reads several tenants; name one with --tenant';

/** Sends a GET request to the API. Throws CommandError with the API's error message. */
export async function fetchFromApi(
  path: string,
  parameters: Readonly<Record<string, string | undefined>>,
  access: ApiAccess,
  { environment }: CommandContext,
): Promise<unknown> {
  const { url: base, key: secret } = resolveApi(access, environment);
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  const address = `${base.replace(/\/+$/, '')}${path}?${new URLSearchParams(given)}`;
  const headers = { Authorization: `Bearer ${secret}`, ...(access.tenant ? { 'X-Tenant-Id': access.tenant } : {}) };
  const response = await fetch(address, {
    headers,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: Error) => {
    throw new CommandError(
      `the API at ${base} does not respond: ${(error.cause as Error | undefined)?.message ?? error.message}`,
    );
  });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const error = readErrorBody(body);
  if (error?.code === 'TENANT_REQUIRED') throw usageError(tenantRequired);
  throw new CommandError(
    error === null
      ? `the API at ${base} responded with status ${response.status} and no error message`
      : describeApiError(error),
    response.status === 400 ? 2 : 1,
  );
}

/** The message with the details that it refers to: the accepted values of each parameter. */
export function describeApiError({
  message,
  details,
}: {
  readonly message: string;
  readonly details: readonly ApiErrorDetail[];
}): string {
  const listed = details.filter(({ allowed }) => allowed.length > 0);
  if (listed.length === 0) return message;
  const values = listed.map(({ parameter, allowed }) => `${parameter}: ${allowed.join(', ')}`).join('; ');
  return `${message.replace('; details list the allowed values', '')} Allowed for ${values}.`;
}

/** The API and key of a command. Throws a usage error when none is configured. */
export function resolveApi(
  access: ApiAccess,
  environment: Environment,
): { readonly url: string; readonly key: string } {
  if (access.url !== undefined && !/^https?:$/.test(URL.parse(access.url)?.protocol ?? ''))
    throw usageError('--url must begin with http:// or https://, for example https://api.example/api/v1');
  const configured = readApiSettings(environment);
  const url = access.url ?? configured.url;
  // The keys of the demo installation are sent to it only.
  const demo = url ? null : findLocalInstallation(process.cwd());
  const base = url ?? demo?.baseUrl;
  const secret = configured.key ?? (access.tenant ? demo?.keys.organization : demo?.keys.tenant);
  if (!base || !secret)
    throw usageError(
      'no API is configured: set --url or TENANTSCOPE_URL, and a key in TENANTSCOPE_KEY; or run "npm start" in this checkout',
    );
  if (!/^[\x21-\x7e]+$/.test(secret))
    throw usageError('TENANTSCOPE_KEY is not an API key: it has spaces or other characters');
  return { url: base, key: secret };
}

interface LocalInstallation {
  readonly baseUrl: string;
  readonly keys: { readonly tenant: string; readonly organization: string };
}

/** Reads the state file of `npm start` from the nearest checkout upwards; null if there is none. */
function findLocalInstallation(directory: string): LocalInstallation | null {
  try {
    return JSON.parse(readFileSync(join(directory, '.tenantscope', 'state.json'), 'utf8')) as LocalInstallation;
  } catch {
    const parent = dirname(directory);
    return parent === directory ? null : findLocalInstallation(parent);
  }
}

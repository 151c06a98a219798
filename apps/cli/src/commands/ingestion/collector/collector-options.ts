import { isAbsolute } from 'node:path';
import { type CollectorLogin, type CollectorProvider, dayMs } from '@tenantscope/contract';
import { isLoopback } from '@tenantscope/runtime';
import type { NewCollector } from '@tenantscope/store/admin';
import { usageError } from '../../../command-error.ts';
import { parseChoice, parseGuid, parseInteger } from '../../../input/option-parsers.ts';

export interface CollectorOptions {
  readonly tenant: string;
  readonly secretFile: string;
  readonly url?: string;
  readonly clientId?: string;
  readonly directoryId?: string;
  readonly loginUrl?: string;
  readonly subject?: string;
  readonly from?: string;
  readonly stream?: readonly string[];
  readonly interval?: string;
}

/** Parses what needs no tenant. */
export function parseCollectorOptions(
  options: CollectorOptions,
  provider: CollectorProvider,
): Omit<NewCollector, 'tenantId' | 'provider' | 'settings'> {
  if (!isAbsolute(options.secretFile))
    throw usageError('--secret-file must be an absolute path: the collecting process has another working directory');
  const names = Object.keys(provider.streams);
  return {
    url: parseProviderUrl(options.url, provider),
    secretFile: options.secretFile,
    streams: [...new Set((options.stream ?? names).map((name) => parseChoice(name, names, '--stream')))],
    intervalSeconds:
      options.interval === undefined
        ? provider.intervalSeconds
        : parseInteger(options.interval, '--interval', { from: 1, to: 86_400 }),
    startAt: parseStart(options.from, provider),
  };
}

const loginOptions = {
  clientId: '--client-id',
  directoryId: '--directory-id',
  loginUrl: '--login-url',
  subject: '--subject',
};

/** Those that a way of authorization has. */
const loginOptionsOf: Readonly<Record<CollectorLogin['kind'], readonly (keyof typeof loginOptions)[]>> = {
  token: ['clientId'],
  microsoft: ['clientId', 'directoryId', 'loginUrl'],
  google: ['subject', 'loginUrl'],
};

/** What a provider needs besides the secret. */
export function parseSettings(
  options: CollectorOptions,
  { login, label }: CollectorProvider,
  azureTenantId: string | null,
): Record<string, string> {
  const allowed = loginOptionsOf[login.kind];
  for (const [name, option] of Object.entries(loginOptions) as [keyof typeof loginOptions, string][])
    if (options[name] !== undefined && !allowed.includes(name)) throw usageError(`${label} has no ${option}`);
  if (login.kind === 'token')
    return options.clientId === undefined ? {} : { clientId: parseClientId(options.clientId) };
  const loginUrl = options.loginUrl === undefined ? login.shared : parseUrl(options.loginUrl, '--login-url');
  if (login.kind === 'google') return { loginUrl, subject: parseSubject(options.subject) };
  if (options.clientId === undefined)
    throw usageError('--client-id is missing: the application id of the app registration');
  const directory = options.directoryId ?? azureTenantId;
  if (directory === null) throw usageError('--directory-id is missing: the tenant has no upstream id');
  return {
    loginUrl,
    directoryId: parseGuid(directory, '--directory-id'),
    clientId: parseGuid(options.clientId, '--client-id'),
  };
}

function parseClientId(text: string): string {
  if (/^[A-Za-z0-9_-]{1,100}$/.test(text)) return text;
  throw usageError('--client-id must be the client id of an API service integration, such as 0oa1b2c3d4');
}

function parseSubject(text: string | undefined): string {
  if (text === undefined)
    throw usageError('--subject is missing: the address of the administrator as whom the service account reads');
  if (/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text)) return text;
  throw usageError('--subject must be an e-mail address');
}

function parseProviderUrl(text: string | undefined, { url }: CollectorProvider): string {
  if (text !== undefined) return parseUrl(text, '--url');
  if ('shared' in url) return url.shared;
  throw usageError(`--url is missing, for example ${url.example}`);
}

/** Scheme and host: paths are the provider module's. Without TLS the secret would be readable on its way. */
function parseUrl(text: string, option: string): string {
  const parsed = URL.parse(text);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw usageError(`${option} must be an https address`);
  if (parsed.protocol === 'http:' && !isLoopback(parsed.hostname))
    throw usageError(`${option} must be an https address: the secret is part of each request`);
  if (parsed.username !== '' || parsed.password !== '')
    throw usageError(`${option} must not contain a user or password`);
  if (parsed.pathname !== '/' || parsed.search !== '' || parsed.hash !== '')
    throw usageError(`${option} must be an address without a path, such as ${parsed.origin}`);
  return parsed.origin;
}

function parseStart(text: string | undefined, { label, retentionDays }: CollectorProvider): string {
  const nowMs = Date.now();
  const oldestMs = nowMs - retentionDays * dayMs;
  if (text === undefined) return new Date(oldestMs).toISOString();
  const ms = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(ms))
    throw usageError('--from must be a date or an RFC 3339 time, such as 2026-11-01 or 2026-11-01T00:00:00Z');
  if (ms > nowMs) throw usageError('--from must not be in the future');
  if (ms < oldestMs - dayMs)
    throw usageError(`--from must not be more than ${retentionDays} days ago: ${label} does not retain older records`);
  return new Date(ms).toISOString();
}

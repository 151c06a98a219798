import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ErrorBody } from '@tenantscope/contract';
import { misused, Refusal } from './failure.ts';
import type { Surroundings } from './surroundings.ts';

/** Where the API is and how it is asked; what is not said stands in the environment, or in what `npm start` wrote down. */
export interface Access {
  readonly url?: string;
  /** Service id or upstream id, for a key that reads several tenants. */
  readonly tenant?: string;
}

const timeoutMs = 30_000;

/** Asks the read API. Throws Refusal with the API's own words where it refuses. */
export async function ask(
  path: string,
  parameters: Readonly<Record<string, string | undefined>>,
  access: Access,
  { environment }: Surroundings,
): Promise<unknown> {
  const url = access.url ?? environment.TENANTSCOPE_URL;
  const key = environment.TENANTSCOPE_KEY;
  // The keys of the demonstration go nowhere else.
  const demonstration = url ? null : startedHere(process.cwd());
  const base = url ?? demonstration?.baseUrl;
  const secret = key ?? (access.tenant ? demonstration?.keys.organization : demonstration?.keys.tenant);
  if (!base || !secret)
    throw misused(
      'an API is needed: its address by --url or TENANTSCOPE_URL and a key in TENANTSCOPE_KEY, or a checkout in which «npm start» runs',
    );
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  const address = `${base.replace(/\/+$/, '')}${path}?${new URLSearchParams(given)}`;
  const headers = { Authorization: `Bearer ${secret}`, ...(access.tenant ? { 'X-Tenant-Id': access.tenant } : {}) };
  const answer = await fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs) }).catch((error: Error) => {
    throw new Refusal(
      `the API at ${base} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`,
    );
  });
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok && body !== null) return body;
  const { message } = (body as Partial<ErrorBody> | null)?.error ?? {};
  throw new Refusal(
    message ?? `the API at ${base} answered ${answer.status} without words`,
    answer.status === 400 ? 2 : 1,
  );
}

interface Started {
  readonly baseUrl: string;
  readonly keys: { readonly tenant: string; readonly organization: string };
}

/** What `npm start` wrote of its demonstration, in the nearest checkout upwards; null where there is none. */
function startedHere(directory: string): Started | null {
  try {
    return JSON.parse(readFileSync(join(directory, '.tenantscope', 'state.json'), 'utf8')) as Started;
  } catch {
    const parent = dirname(directory);
    return parent === directory ? null : startedHere(parent);
  }
}

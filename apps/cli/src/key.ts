import { scopes as everyScope, grantableScopes, parseTime, showTime } from '@tenantscope/contract';
import { findTenant, withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import { guid, name } from './arguments.ts';
import { misused } from './failure.ts';
import type { Surroundings } from './surroundings.ts';
import { listing, table } from './table.ts';

export interface KeyOwner {
  readonly tenant?: string;
  readonly org?: string;
}

export interface KeyOptions extends KeyOwner {
  readonly name: string;
  readonly scopes: string;
  readonly expiresAt?: string;
}

export async function createKey(options: KeyOptions, around: Surroundings): Promise<Answer> {
  const wanted = { name: name(options.name), scopes: readScopes(options.scopes), expiresAt: expiry(options.expiresAt) };
  if ((options.tenant === undefined) === (options.org === undefined)) {
    throw misused('a key is bound to one tenant (--tenant) or reads an organization (--org): give exactly one');
  }
  const made = await withAdmin(around.environment, async (admin) => {
    const owner =
      options.tenant === undefined
        ? { organizationId: guid(options.org ?? '', '--org') }
        : { tenantId: (await findTenant(admin, options.tenant)).id };
    return admin.keys.create({ ...wanted, owner });
  });
  const text = `${listing([
    ['id', made.id],
    ['name', made.name],
    ['scopes', made.scopes.join(' ')],
    ['secret', made.secret],
  ])}\nThis is the only time the secret is shown.`;
  return { document: made, text };
}

export async function listKeys(options: KeyOwner, around: Surroundings): Promise<Answer> {
  if (options.tenant !== undefined && options.org !== undefined) throw misused('give --tenant or --org, not both');
  const found = await withAdmin(around.environment, async (admin) => {
    if (options.tenant !== undefined) {
      return admin.keys.list({ tenantId: (await findTenant(admin, options.tenant)).id });
    }
    return admin.keys.list(options.org === undefined ? undefined : { organizationId: guid(options.org, '--org') });
  });
  const text = table(
    found,
    [
      ['id', (row) => row.id],
      ['name', (row) => row.name],
      ['begins', (row) => row.display],
      ['tenant or organization', (row) => row.tenantId ?? row.organizationId],
      ['scopes', (row) => row.scopes.join(' ')],
      ['expires', (row) => row.expiresAt],
      ['revoked', (row) => row.revokedAt],
      ['last used', (row) => row.lastUsedAt],
    ],
    'There is no key.',
  );
  return { document: { data: found }, text };
}

export async function revokeKey(id: string, around: Surroundings): Promise<Answer> {
  const keyId = guid(id, 'the id of a key');
  const revoked = await withAdmin(around.environment, (admin) => admin.keys.revoke(keyId));
  return { document: revoked, text: listing(Object.entries(revoked)) };
}

/** `all`, or a comma list; an empty list is a key that proves who it is and reads nothing. */
export function readScopes(text: string): string[] {
  if (text.trim() === 'all') return [...everyScope];
  const words = [...new Set(text.split(',').map((word) => word.trim()))].filter((word) => word !== '');
  const unknown = words.filter((word) => !grantableScopes.includes(word));
  if (unknown.length > 0) {
    throw misused(`unknown scope ${unknown.join(', ')}; allowed are all, ${grantableScopes.join(', ')}`);
  }
  return words;
}

function expiry(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const atMs = parseTime(text);
  if (atMs === null) throw misused('--expires-at must be a time, for example 2027-01-31T00:00:00Z');
  if (atMs <= Date.now()) throw misused(`--expires-at ${showTime(atMs)} is past`);
  return new Date(atMs);
}

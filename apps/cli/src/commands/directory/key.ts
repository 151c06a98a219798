import { scopes as everyScope, formatTime, grantableScopes, parseTime } from '@tenantscope/contract';
import { usageError } from '../../command-error.ts';
import { findOpenTenant, findTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import { parseGuid, parseName } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields, formatTable } from '../../output/table.ts';

export interface KeyOwner {
  readonly tenant?: string;
  readonly org?: string;
}

export interface KeyOptions extends KeyOwner {
  readonly name: string;
  readonly scopes: string;
  readonly expiresAt?: string;
}

export async function createKey(options: KeyOptions, context: CommandContext): Promise<CommandResult> {
  const input = {
    name: parseName(options.name),
    scopes: parseScopes(options.scopes),
    expiresAt: parseExpiry(options.expiresAt),
  };
  if ((options.tenant === undefined) === (options.org === undefined)) {
    throw usageError('a key reads one tenant (--tenant) or one organization (--org); specify exactly one');
  }
  const created = await withAdmin(context.environment, async (admin) => {
    const owner =
      options.tenant === undefined
        ? { organizationId: parseGuid(options.org ?? '', '--org') }
        : { tenantId: (await findOpenTenant(admin, options.tenant)).id };
    return admin.keys.create({ ...input, owner });
  });
  const text = `${formatFields([
    ['id', created.id],
    ['name', created.name],
    ['scopes', created.scopes.join(' ')],
    ['secret', created.secret],
  ])}\nThe secret is shown only once.`;
  return { document: created, text };
}

export async function listKeys(options: KeyOwner, context: CommandContext): Promise<CommandResult> {
  if (options.tenant !== undefined && options.org !== undefined)
    throw usageError('specify --tenant or --org, not both');
  const found = await withAdmin(context.environment, async (admin) => {
    if (options.tenant !== undefined) {
      return admin.keys.list({ tenantId: (await findTenant(admin, options.tenant)).id });
    }
    return admin.keys.list(options.org === undefined ? undefined : { organizationId: parseGuid(options.org, '--org') });
  });
  const text = formatTable(
    found,
    [
      ['id', (row) => row.id],
      ['name', (row) => row.name],
      ['prefix', (row) => row.display],
      ['tenant or organization', (row) => row.tenantId ?? row.organizationId],
      ['scopes', (row) => row.scopes.join(' ')],
      ['expires', (row) => row.expiresAt],
      ['revoked', (row) => row.revokedAt],
      ['last used', (row) => row.lastUsedAt],
    ],
    'No keys.',
  );
  return { document: { data: found }, text };
}

export async function revokeKey(id: string, context: CommandContext): Promise<CommandResult> {
  const keyId = parseGuid(id, 'the id of a key');
  const revoked = await withAdmin(context.environment, (admin) => admin.keys.revoke(keyId));
  return { document: revoked, text: formatFields(Object.entries(revoked)) };
}

/** Parses `all` or a comma list; a key without scopes authenticates and reads nothing. */
export function parseScopes(text: string): string[] {
  if (text.trim() === 'all') return [...everyScope];
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  const unknown = names.filter((name) => !grantableScopes.includes(name));
  if (unknown.length > 0) {
    throw usageError(`unknown scope ${unknown.join(', ')}; allowed are all, ${grantableScopes.join(', ')}`);
  }
  return names;
}

function parseExpiry(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const atMs = parseTime(text);
  if (atMs === null) throw usageError('--expires-at must be a time, for example 2027-01-31T00:00:00Z');
  if (atMs <= Date.now()) throw usageError(`--expires-at ${formatTime(atMs)} is in the past`);
  return new Date(atMs);
}

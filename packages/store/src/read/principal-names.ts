import pg from 'pg';
import type { ReadModels } from './read-models.ts';
import { queryTenant, type TenantQuery } from './record-page.ts';

export interface PrincipalNamesQuery extends TenantQuery {
  /** Ids, sign-in names and other aliases in any case. */
  names: readonly string[];
  limit: number;
}

/**
 * The names in lower case, with all ids and aliases of the users, agents and apps that have one of them; at most `limit`. An
 * alias that several had belongs to those that still exist. Throws StoreUnavailable or QueryTimedOut.
 */
export async function readPrincipalNames(models: ReadModels, query: PrincipalNamesQuery): Promise<string[]> {
  const names = new Set(query.names.flatMap((name) => [name.toLowerCase(), lowerAscii(name)]));
  const rows = await queryTenant<{ name: string }>(
    models,
    query,
    principalNamesStatement({ ...query, names: [...names] }),
  );
  for (const { name } of rows) names.add(name.toLowerCase());
  return [...names].slice(0, query.limit);
}

function principalNamesStatement({ tenantId, names, limit }: PrincipalNamesQuery): string {
  const tenant = `tenant_id = '${tenantId}'`;
  const list = `(${names.map((name) => pg.escapeLiteral(name)).join(', ')})`;
  const candidates = tables.map(
    ({ kind, table }) =>
      `select a.alias as name, '${kind}' as kind, r.id, r.is_deleted from models.entity_alias a join ${table} r on r.tenant_id = a.tenant_id and r.id = a.id` +
      ` where a.${tenant} and r.${tenant} and a.kind = '${kind}' and a.alias in ${list}` +
      ` union all select r.id, '${kind}', r.id, r.is_deleted from ${table} r where r.${tenant} and r.id in ${list}`,
  );
  return (
    `with candidate as (${candidates.join(' union all ')}), existing as (select name from candidate where not is_deleted),` +
    ` chosen as (select distinct kind, id from candidate where not is_deleted or name not in (select name from existing))` +
    ` select id as name from chosen` +
    ` union select a.alias from chosen join models.entity_alias a on a.${tenant} and a.kind = chosen.kind and a.id = chosen.id` +
    ` limit ${Math.trunc(limit)}`
  );
}

const tables = [
  { kind: 'user', table: 'models.entity_user' },
  { kind: 'agent', table: 'models.entity_agent' },
  { kind: 'app', table: 'models.entity_app' },
] as const;

/** The lower case of the collation "C", in which rows are compared. */
const lowerAscii = (name: string): string => name.replace(/[A-Z]/g, (capital) => capital.toLowerCase());

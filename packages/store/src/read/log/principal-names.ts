import pg from 'pg';
import { principalTables } from '../../resource/entity/principal-tables.ts';
import type { ReadModels } from '../read-models.ts';
import { queryTenant, type TenantQuery } from '../record-page.ts';
import { readLogsPage } from './log-page.ts';

export interface PrincipalNamesQuery extends TenantQuery {
  /** Ids, sign-in names and other aliases in any case. */
  names: readonly string[];
  limit: number;
}

/**
 * The names in lower case, with all ids and aliases of the users, agents and apps that have one of them; at most `limit`. An
 * alias that several had belongs to those that still exist. A name that no directory reports, such as a PUID, is one of the user
 * that the newest rows with it are of. Throws StoreUnavailable or QueryTimedOut.
 */
export async function readPrincipalNames(models: ReadModels, query: PrincipalNamesQuery): Promise<string[]> {
  const reported = await readNames(models, query, query.names);
  const unknown = query.names.filter((name) => !reported.has(name.toLowerCase()));
  const ids = await readActorUserIds(models, query, unknown);
  const others = ids.length === 0 ? [] : await readNames(models, query, ids);
  const own = query.names.flatMap(listForms);
  return [...new Set([...own, ...reported, ...others])].slice(0, query.limit);
}

async function readNames(models: ReadModels, query: PrincipalNamesQuery, of: readonly string[]): Promise<Set<string>> {
  const names = [...new Set(of.flatMap(listForms))];
  const rows = await queryTenant<{ name: string }>(models, query, principalNamesStatement({ ...query, names }));
  return new Set(rows.map(({ name }) => name.toLowerCase()));
}

/** The users of the newest rows with these names. A search that found some names goes on with the others. */
async function readActorUserIds(
  models: ReadModels,
  { tenantId, timeoutMs, signal }: PrincipalNamesQuery,
  names: readonly string[],
): Promise<string[]> {
  const ids = new Set<string>();
  const sought = new Set(names.flatMap(listForms));
  for (let before = Number.POSITIVE_INFINITY; sought.size > 0 && sought.size < before; ) {
    before = sought.size;
    const page = await readLogsPage(models, {
      tenantId,
      sort: 'discoveredAtDesc',
      discovered: { fromMs: null, toMs: endMs },
      occurred: { fromMs: null, toMs: null },
      filters: { user: [...sought] },
      after: null,
      limit: rowsPerSearch,
      examinedRowsMax: examinedPerSearch,
      timeoutMs,
      ...(signal ? { signal } : {}),
    });
    const { data } = JSON.parse(page.close('}').toString()) as { data: Actor[] };
    for (const { actorId, actorUserId } of data) {
      for (const found of [actorId, actorUserId]) if (found !== null) sought.delete(lowerAscii(found));
      if (actorUserId !== null) ids.add(actorUserId);
    }
  }
  return [...ids];
}

interface Actor {
  readonly actorId: string | null;
  readonly actorUserId: string | null;
}

/** More than one: the newest rows may be older than the directory's first import, which then left their user unknown. */
const rowsPerSearch = 20;
const examinedPerSearch = 5_000;
/** After every row, settled or not: an alias known too early does no harm. */
const endMs = Date.UTC(9999, 0, 1);

/** The existing accounts of one address at Microsoft and at Google are one user. */
function principalNamesStatement({ tenantId, names, limit }: PrincipalNamesQuery): string {
  const tenant = `tenant_id = '${tenantId}'`;
  const list = `(${names.map((name) => pg.escapeLiteral(name)).join(', ')})`;
  const candidates = principalTables.map(
    ({ kind, table }) =>
      `select a.alias as name, '${kind}' as kind, r.id, r.is_deleted from models.entity_alias a join ${table} r on r.tenant_id = a.tenant_id and r.id = a.id` +
      ` where a.${tenant} and r.${tenant} and a.kind = '${kind}' and a.alias in ${list}` +
      ` union all select r.id, '${kind}', r.id, r.is_deleted from ${table} r where r.${tenant} and r.id in ${list}`,
  );
  return (
    `with candidate as (${candidates.join(' union all ')}), existing as (select name from candidate where not is_deleted),` +
    ` chosen as (select distinct kind, id from candidate where not is_deleted or name not in (select name from existing)),` +
    // Fifty users with ten aliases each take 6 ms more where tables have statistics, and seconds where they have none: few tenants have both providers.
    ` twin as (select 'user' as kind, other.id from chosen,` +
    ` lateral (select a.alias from models.entity_alias a where a.${tenant} and a.kind = 'user' and a.id = chosen.id and a.alias like '%@%' offset 0) own,` +
    ` lateral (select a.id from models.entity_alias a where a.${tenant} and a.kind = 'user' and a.alias = own.alias offset 0) other` +
    ` where (select exists (select from models.entity_user g where g.${tenant} and g.id >= 'google:' and g.id < 'google;'))` +
    ` and chosen.kind = 'user' and (other.id like 'google:%') <> (chosen.id like 'google:%')` +
    ` and exists (select from models.entity_user r where r.${tenant} and r.id = other.id and not r.is_deleted)),` +
    ` person as (select * from chosen union select * from twin)` +
    ` select id as name from person` +
    ` union select a.alias from person join models.entity_alias a on a.${tenant} and a.kind = person.kind and a.id = person.id` +
    ` limit ${Math.trunc(limit)}`
  );
}

/** The lower case of the collation "C", in which rows are compared. */
const lowerAscii = (name: string): string => name.replace(/[A-Z]/g, (capital) => capital.toLowerCase());

const listForms = (name: string): string[] => [name.toLowerCase(), lowerAscii(name)];

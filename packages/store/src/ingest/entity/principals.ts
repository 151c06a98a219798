import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';
import { principalTables } from '../../resource/entity/principal-tables.ts';

/** A user, agent or app with all its names. */
export interface TenantPrincipal {
  tenantId: string;
  kind: 'user' | 'agent' | 'app';
  id: string;
  isDeleted: boolean;
  /** In lower case; the id is not among them. */
  aliases: readonly string[];
}

/** All principals of a tenant, in portions: a large tenant has a million, and a statement must end within seconds. */
export async function* readTenantPrincipals(
  pool: pg.Pool,
  tenantId: string,
  portion = portionSize,
): AsyncGenerator<TenantPrincipal[]> {
  for (const { kind, table } of principalTables) {
    let afterId = '';
    for (;;) {
      const { rows } = await withConnection(pool, (client) =>
        client.query<PrincipalRow>(
          `select ${columns(kind)} from ${table} e where e.tenant_id = $1 and e.id > $2 order by e.id limit $3`,
          [tenantId, afterId, portion],
        ),
      );
      if (rows.length > 0) yield rows.map(toPrincipal);
      if (rows.length < portion) break;
      afterId = rows.at(-1)?.id ?? '';
    }
  }
}

/** 20,000 users with five names each take about 0.3 s. */
const portionSize = 20_000;

/** The principals of some tenants that were written at or after an instant, and the time of the database before they were read. */
export async function readPrincipalsSince(
  pool: pg.Pool,
  tenantIds: readonly string[],
  sinceMs: number,
): Promise<{ readAtMs: number; principals: TenantPrincipal[] }> {
  return withConnection(pool, async (client) => {
    const clock = await client.query<{ ms: number }>('select (extract(epoch from now()) * 1000)::float8 as ms');
    const { rows } = await client.query<PrincipalRow>(
      principalTables
        .map(
          ({ kind, table }) =>
            `select ${columns(kind)} from ${table} e where e.tenant_id = any($1::uuid[]) and e.updated_at >= $2`,
        )
        .join(' union all '),
      [tenantIds, new Date(sinceMs).toISOString()],
    );
    return { readAtMs: clock.rows[0]?.ms ?? 0, principals: rows.map(toPrincipal) };
  });
}

const columns = (kind: TenantPrincipal['kind']): string =>
  `e.tenant_id, '${kind}' as kind, e.id, e.is_deleted,
   array(select a.alias from models.entity_alias a where a.tenant_id = e.tenant_id and a.kind = '${kind}' and a.id = e.id) as aliases`;

interface PrincipalRow {
  tenant_id: string;
  kind: TenantPrincipal['kind'];
  id: string;
  is_deleted: boolean;
  aliases: string[];
}

function toPrincipal({ tenant_id: tenantId, kind, id, is_deleted: isDeleted, aliases }: PrincipalRow): TenantPrincipal {
  return { tenantId, kind, id, isDeleted, aliases };
}

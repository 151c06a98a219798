import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';

/** An app by the client id in log records. */
export interface TenantApp {
  tenantId: string;
  /** In lower case. */
  clientId: string;
  id: string;
  name: string | null;
  isDeleted: boolean;
  updatedAtMs: number;
}

/** Apps of all tenants written at or after an instant, in the order of writing. */
export async function readAppsSince(pool: pg.Pool, sinceMs: number): Promise<TenantApp[]> {
  return withConnection(pool, async (client) => {
    const { rows } = await client.query<AppRow>(
      `select tenant_id, app_id, id, document::json ->> 'displayName' as name, is_deleted, (extract(epoch from updated_at) * 1000)::float8 as updated_at_ms
         from models.entity_app where app_id is not null and updated_at >= $1 order by updated_at`,
      [new Date(sinceMs).toISOString()],
    );
    return rows.map((row) => ({
      tenantId: row.tenant_id,
      clientId: row.app_id,
      id: row.id,
      name: row.name,
      isDeleted: row.is_deleted,
      updatedAtMs: row.updated_at_ms,
    }));
  });
}

interface AppRow {
  tenant_id: string;
  app_id: string;
  id: string;
  name: string | null;
  is_deleted: boolean;
  updated_at_ms: number;
}

import type pg from 'pg';
import type { ShownEntity } from './entity-change.ts';

/** Writes the names that entities have now and deletes those that they lost. The caller holds their locks. */
export async function replaceAliases(client: pg.PoolClient, shown: readonly ShownEntity[]): Promise<void> {
  if (shown.length === 0) return;
  const entities = shown.map(({ entity }) => entity);
  const names = shown.flatMap((one) => listNames(one).map((alias) => ({ entity: one.entity, alias })));
  await client.query(
    `with named as (
       select * from unnest($4::uuid[], $5::text[], $6::text[], $7::text[]) as named (tenant_id, kind, id, alias)
     ), gone as (
       delete from models.entity_alias a using unnest($1::uuid[], $2::text[], $3::text[]) as requested (tenant_id, kind, id)
        where a.tenant_id = requested.tenant_id and a.kind = requested.kind and a.id = requested.id
          and not exists (select from named n where (n.tenant_id, n.kind, n.id, n.alias) = (a.tenant_id, a.kind, a.id, a.alias))
     )
     insert into models.entity_alias (tenant_id, kind, id, alias) select * from named on conflict do nothing`,
    [
      entities.map(({ tenantId }) => tenantId),
      entities.map(({ kind }) => kind),
      entities.map(({ id }) => id),
      names.map(({ entity }) => entity.tenantId),
      names.map(({ entity }) => entity.kind),
      names.map(({ entity }) => entity.id),
      names.map(({ alias }) => alias),
    ],
  );
}

/** Users, agents and apps are found by their ids without case, too. */
export function listNames({ entity: { kind, id }, entityNow: { aliases } }: ShownEntity): readonly string[] {
  const lowerId = id.toLowerCase();
  const isPrincipal = kind === 'user' || kind === 'agent' || kind === 'app';
  return isPrincipal && lowerId !== id && !aliases.includes(lowerId) ? [...aliases, lowerId] : aliases;
}

import type pg from 'pg';
import { listNames } from './entity-aliases.ts';
import type { Entity, ShownEntity } from './entity-change.ts';
import { withdrawEntity } from './withdrawn-entity.ts';

/**
 * Deletes agents that were known from the audit log alone once an inventory reports the same agent under another id: such as
 * its application id. Clients see a deletion, and the name leads to the agent of the inventory. Of agents whose ids differ in
 * letter case only, the least spelling remains. The caller holds the locks of the agents of these tenants.
 */
export async function withdrawUnreportedAgents(
  client: pg.PoolClient,
  shown: readonly ShownEntity[],
  stampOf: (index: number) => string,
): Promise<void> {
  const names = shown
    .filter(({ entity }) => entity.kind === 'agent')
    .flatMap((one) => listAllNames(one).map((name) => ({ ...one.entity, name })));
  if (names.length === 0) return;
  const { rows } = await client.query<{ tenant_id: string; id: string; position: number }>(
    `select distinct on (a.tenant_id, a.id) a.tenant_id, a.id, given.position::integer
       from unnest($1::uuid[], $2::text[]) with ordinality as given (tenant_id, name, position)
       cross join lateral (${idsNamed('given')}) own
       join models.entity_agent a on a.tenant_id = given.tenant_id and a.id = own.id
       cross join lateral (${idsNamed('given')}) others
       join models.entity_agent o on o.tenant_id = given.tenant_id and o.id = others.id
      where a.evidence = 'auditOnly' and not a.is_deleted and o.id <> a.id
        and (o.evidence is distinct from 'auditOnly' or (not o.is_deleted and o.id < a.id))
      order by a.tenant_id, a.id, given.position`,
    [names.map(({ tenantId }) => tenantId), names.map(({ name }) => name)],
  );
  for (const { tenant_id: tenantId, id, position } of rows)
    await withdrawEntity(client, { tenantId, kind: 'agent', id }, stampOf((names[position - 1] as Entity).lastChange));
}

/** SQL: the ids of agents with the name of the row, which is in lower case. The own id of an agent is one of its names. */
export const idsNamed = (given: string): string =>
  `select ${given}.name as id union select n.id from models.entity_alias n where n.tenant_id = ${given}.tenant_id and n.kind = 'agent' and n.alias = ${given}.name`;

const listAllNames = (one: ShownEntity): string[] => [...new Set([one.entity.id.toLowerCase(), ...listNames(one)])];

import type { EvidenceQuery } from './ordered.ts';
import { bounds } from './section-rows.ts';

/** An account of the directory, and every name that the service finds it by. */
export interface DirectoryPerson {
  readonly id: string;
  readonly displayName: string | null;
  /** Sign-in name, addresses and ids at providers, in lower case. */
  readonly aliases: readonly string[];
}

/** All accounts of the tenant, deleted ones included: rows of the period may name them. */
export async function readDirectoryPersons(reading: EvidenceQuery): Promise<DirectoryPerson[]> {
  const { tenant } = bounds(reading);
  const { rows } = await reading.client.query<DirectoryPerson>(
    `with named as (
       select a.id, array_agg(a.alias order by a.alias) as aliases
         from models.entity_alias a where a.tenant_id = ${tenant} and a.kind = 'user' group by a.id)
     select id, f.facts ->> 'displayName' as "displayName", coalesce(n.aliases, '{}') as aliases
       from (select e.id, e.facts from models.entity_fact e where e.tenant_id = ${tenant} and e.kind = 'user') f
       full join named n using (id)
      order by id collate "C"`,
  );
  return rows;
}

import type { EvidenceReading } from './ordered.ts';
import { bounds } from './section-rows.ts';

/** Who answers for an agent or an app, and where that is known from. */
export interface AccountablePerson {
  personId: string | null;
  personName: string | null;
  /** nativeOwner, nativeSponsor, assignment or none. */
  personSource: string | null;
  /** Whether the account is enabled; null where it is not known. */
  personEnabled: boolean | null;
  /** The assignment's own words, as told. */
  assignment: Readonly<Record<string, unknown>> | null;
}

export const accountableColumns = [
  'person.id as "personId"',
  'person.name as "personName"',
  'person.source as "personSource"',
  'person.enabled as "personEnabled"',
  `g.facts->'accountable' as assignment`,
];

/** Joined to the facts `g` of an entity: agents name their person as owner, apps as accountable. */
export function accountable(reading: EvidenceReading): string {
  const { tenant } = bounds(reading);
  const told = (ofAgent: string, ofApp: string) => `coalesce(g.facts->>'${ofAgent}', g.facts->>'${ofApp}')`;
  return `left join lateral (
    select named.id, coalesce(named.name, u.facts->>'displayName') as name, named.source, u.updated_at as stamp,
           case when u.id is not null then not u.is_deleted and u.facts->'accountEnabled' = 'true' end as enabled
      from (select ${told('ownerId', 'accountableId')} as id, ${told('ownerName', 'accountableName')} as name,
                   ${told('ownerSource', 'accountableSource')} as source) named
      left join models.entity_fact u on u.tenant_id = ${tenant} and u.kind = 'user' and u.id = named.id) person on true`;
}

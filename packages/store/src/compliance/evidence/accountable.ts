import type { EvidenceQuery } from './ordered.ts';
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

const reportedOwner = (ofAgent: string, ofApp: string) => `coalesce(g.facts->>'${ofAgent}', g.facts->>'${ofApp}')`;

export const accountableColumns = [
  `${reportedOwner('ownerId', 'accountableId')} as "personId"`,
  `coalesce(${reportedOwner('ownerName', 'accountableName')}, person.facts->>'displayName') as "personName"`,
  `${reportedOwner('ownerSource', 'accountableSource')} as "personSource"`,
  `case when person.id is not null then not person.is_deleted and person.facts->'accountEnabled' = 'true' end as "personEnabled"`,
  `g.facts->'accountable' as assignment`,
];

/**
 * Joined to the facts `g` of an entity: agents name their person as owner, apps as accountable. Not lateral: behind row-level security a name taken out
 * of facts finds no index, and each row would look through all users.
 */
export function accountable(reading: EvidenceQuery): string {
  const { tenant } = bounds(reading);
  return `left join (
    select u.id, u.facts, u.is_deleted, u.updated_at as stamp from models.entity_fact u where u.tenant_id = ${tenant} and u.kind = 'user') person
      on person.id = ${reportedOwner('ownerId', 'accountableId')}`;
}

import type { JsonObject } from '@tenantscope/proof';
import type { AccountablePerson } from '@tenantscope/store/compliance';
import { toEnumValue, toIsoTime, toText } from './reported-value.ts';

/** The accountable person and its provenance; where the person was assigned, also by whom and when. */
export function toAccountable(person: AccountablePerson): JsonObject {
  const provenance = toEnumValue(person.personSource, ['nativeOwner', 'nativeSponsor', 'assignment', 'none'], null);
  const assignment = provenance === 'assignment' ? person.assignment : null;
  return {
    userId: toText(person.personId),
    name: toText(person.personName),
    enabled: person.personEnabled,
    provenance: provenance ?? (person.personId === null ? 'none' : null),
    assignedBy: toText(assignment?.assignedBy),
    assignedAt: toIsoTime(assignment?.assignedAt),
  };
}

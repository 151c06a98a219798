import type { JsonObject } from '@tenantscope/proof';
import type { AccountablePerson } from '@tenantscope/store';
import { toldText, toldTime, toldWord } from './told-value.ts';

/** The accountable person and where that knowledge comes from; who assigned them and when, where they were assigned. */
export function accountableOf(person: AccountablePerson): JsonObject {
  const provenance = toldWord(person.personSource, ['nativeOwner', 'nativeSponsor', 'assignment', 'none'], null);
  const assignment = provenance === 'assignment' ? person.assignment : null;
  return {
    userId: toldText(person.personId),
    name: toldText(person.personName),
    enabled: person.personEnabled,
    provenance: provenance ?? (person.personId === null ? 'none' : null),
    assignedBy: toldText(assignment?.assignedBy),
    assignedAt: toldTime(assignment?.assignedAt),
  };
}

import { guidOf, numberOf } from '../chance.ts';
import type { Company } from '../company.ts';
import { type DemoState, shown } from '../demo-state.ts';
import { agentsReading, appsReading, filesWith, isProtected, ownerOf, sharingOf } from '../estate/file-facts.ts';
import { type Restriction, type RestrictionStep, restrictionsOf } from '../estate/restrictions.ts';
import type { InfoType } from '../info-types.ts';
import { evidenceState } from './evidence-state.ts';

/** Each restriction as it stands, and each step that led there with what was exposed at that moment. */
export function* restrictionRecords(company: Company, endMs: number): Generator<DemoState> {
  for (const restriction of restrictionsOf(company, endMs)) {
    const { type, by, steps } = restriction;
    const id = guidOf(company.plan.azureTenantId, 'restriction', type.id);
    const dataType = { id: type.id, name: type.name };
    const declaredBy = { id: by.id, name: by.displayName };
    for (const step of steps)
      yield evidenceState('restrictionEvent', guidOf(id, step.event), step.atMs, {
        restrictionId: id,
        dataType,
        event: step.event,
        occurredAt: shown(step.atMs),
        actor: declaredBy,
        fromLevel: step.from,
        toLevel: step.to,
        reason: step.reason,
        exposureAtEvent: exposureOf(company, type, step),
      });
    yield evidenceState('restriction', id, steps.at(-1)?.atMs ?? endMs, {
      dataType,
      ...standing(company, restriction),
      declaredBy,
    });
  }
}

/** A lifted one keeps the level it had. */
function standing(company: Company, { type, steps }: Restriction) {
  const [first, last] = [steps[0], steps.at(-1)];
  return {
    level: last?.to ?? last?.from,
    declaredAt: shown(first?.atMs ?? 0),
    reason: first?.reason ?? null,
    exposure: last === undefined ? null : exposureOf(company, type, last),
    exemptIds: company.people.filter(({ department }) => department === 'Finance').map(({ id }) => id),
  };
}

/** Earlier, a little more of it lay open and a little less was protected. */
function exposureOf(company: Company, type: InfoType, { event, atMs }: RestrictionStep) {
  const files = filesWith(company, type);
  const more = event === 'declare' ? numberOf(3, type.id, 'cleared') : 0;
  const count = <Item>(itemsOf: (file: (typeof files)[number]) => readonly Item[]) =>
    new Set(files.flatMap(itemsOf)).size;
  const covered = files.filter(isProtected).length;
  return {
    files: files.length + more,
    users: count((file) => [ownerOf(company, file)]),
    externalUsers: count((file) => sharingOf(company, file).guests),
    apps: count((file) => appsReading(company, file)),
    agents: count((file) => agentsReading(company, file)),
    sites: count((file) => [file.site]),
    labelCoveredPct: files.length === 0 ? null : Math.floor((1_000 * covered) / (files.length + more)) / 10,
    computedAt: shown(atMs),
  };
}

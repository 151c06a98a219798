import type { Company } from '../company.ts';
import { type DemoState, formatInstant } from '../demo-state.ts';
import type { InfoType } from '../info-types.ts';
import {
  deriveSharing,
  findFileOwner,
  isProtected,
  listFilesContaining,
  listReadingAgents,
  listReadingApps,
} from '../inventory/file-attributes.ts';
import { listRestrictions, type Restriction, type RestrictionStep } from '../inventory/restrictions.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import { createEvidenceState } from './evidence-state.ts';

/** Each restriction in its current state, and each change with the exposure at that time. */
export function* generateRestrictionRecords(company: Company, endMs: number): Generator<DemoState> {
  for (const restriction of listRestrictions(company, endMs)) {
    const { type, by, steps } = restriction;
    const id = deriveGuid(company.plan.azureTenantId, 'restriction', type.id);
    const dataType = { id: type.id, name: type.name };
    const declaredBy = { id: by.id, name: by.displayName };
    for (const step of steps)
      yield createEvidenceState('restrictionEvent', deriveGuid(id, step.event), step.atMs, {
        restrictionId: id,
        dataType,
        event: step.event,
        occurredAt: formatInstant(step.atMs),
        actor: declaredBy,
        fromLevel: step.from,
        toLevel: step.to,
        reason: step.reason,
        exposureAtEvent: measureExposure(company, type, step),
      });
    yield createEvidenceState('restriction', id, steps.at(-1)?.atMs ?? endMs, {
      dataType,
      ...createCurrentState(company, restriction),
      declaredBy,
    });
  }
}

/** A lifted restriction retains its last level. */
function createCurrentState(company: Company, { type, steps }: Restriction) {
  const [first, last] = [steps[0], steps.at(-1)];
  return {
    level: last?.to ?? last?.from,
    declaredAt: formatInstant(first?.atMs ?? 0),
    reason: first?.reason ?? null,
    exposure: last === undefined ? null : measureExposure(company, type, last),
    exemptIds: company.employees.filter(({ department }) => department === 'Finance').map(({ id }) => id),
  };
}

/** Earlier, slightly more content was exposed and slightly less was protected. */
function measureExposure(company: Company, type: InfoType, { event, atMs }: RestrictionStep) {
  const files = listFilesContaining(company, type);
  const more = event === 'declare' ? deriveNumber(3, type.id, 'cleared') : 0;
  const count = <Item>(itemsOf: (file: (typeof files)[number]) => readonly Item[]) =>
    new Set(files.flatMap(itemsOf)).size;
  const covered = files.filter(isProtected).length;
  return {
    files: files.length + more,
    users: count((file) => [findFileOwner(company, file)]),
    externalUsers: count((file) => deriveSharing(company, file).guests),
    apps: count((file) => listReadingApps(company, file)),
    agents: count((file) => listReadingAgents(company, file)),
    sites: count((file) => [file.site]),
    labelCoveredPct: files.length === 0 ? null : Math.floor((1_000 * covered) / (files.length + more)) / 10,
    computedAt: formatInstant(atMs),
  };
}

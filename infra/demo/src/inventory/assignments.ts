import { findPerson } from '../company.ts';
import { resolveId } from '../compliance/declarations.ts';
import { type DemoState, formatInstant } from '../demo-state.ts';
import { deriveGuid } from '../random.ts';
import type { InventorySnapshot } from './inventory-snapshot.ts';

/** Owners assigned to agents and apps without an owner. */
export function* generateAssignments({ company, atMs }: InventorySnapshot): Generator<DemoState> {
  for (const { about, name, to, by, daysAgo } of company.plan.compliance.assignments) {
    const assignedMs = atMs - daysAgo * 86_400_000;
    const person = findPerson(company.employees, to);
    const subject = { type: about, id: resolveId(company, about, name) };
    yield {
      topic: 'entity',
      kind: 'accountable',
      id: deriveGuid(subject.id, 'accountable'),
      changedAtMs: assignedMs,
      fields: {
        subject,
        userId: person.id,
        userName: person.displayName,
        assignedBy: findPerson(company.employees, by).displayName,
        assignedAt: formatInstant(assignedMs),
      },
    };
  }
}

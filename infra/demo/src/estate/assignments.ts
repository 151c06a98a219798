import { guidOf } from '../chance.ts';
import { personNamed } from '../company.ts';
import { idOf } from '../compliance/declarations.ts';
import { type DemoState, shown } from '../demo-state.ts';
import type { Picture } from './picture.ts';

/** Who was made accountable for agents and apps that name nobody themselves. */
export function* assignments({ company, atMs }: Picture): Generator<DemoState> {
  for (const { about, name, to, by, daysAgo } of company.plan.compliance.assignments) {
    const assignedMs = atMs - daysAgo * 86_400_000;
    const person = personNamed(company.people, to);
    const subject = { type: about, id: idOf(company, about, name) };
    yield {
      topic: 'entity',
      kind: 'accountable',
      id: guidOf(subject.id, 'accountable'),
      changedAtMs: assignedMs,
      fields: {
        subject,
        userId: person.id,
        userName: person.displayName,
        assignedBy: personNamed(company.people, by).displayName,
        assignedAt: shown(assignedMs),
      },
    };
  }
}

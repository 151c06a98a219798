import type { Company, Person } from '../company.ts';
import type { ActionPlan, ActionState } from '../feeds/action.ts';
import { actionKinds } from '../feeds/actions.ts';
import { agentSubject, userSubject } from '../feeds/subjects.ts';
import { findSupportAnalyst, listAttackAttempts, roleDaysBefore } from './earlier-events.ts';

/** The responses to the smaller events of the weeks before; the latest two attack attempts have no response yet. */
export function respondToEarlierEvents(company: Company, endMs: number): ActionPlan[] {
  const [responder] = company.admins;
  if (!responder) return [];
  const supportAnalyst = findSupportAnalyst(company);
  const probes = listAttackAttempts(company).slice(2);
  return [
    ...probes.map(
      ({ agent, daysBefore }): ActionPlan => ({
        ...manualAction(responder),
        kind: actionKinds.notifyOwner,
        subject: agentSubject(agent),
        createdMs: endMs - daysBefore * dayMs + 5 * hourMs,
        with: { reason: 'Prompts that tried to lift its limits' },
      }),
    ),
    ...(supportAnalyst === undefined
      ? []
      : [
          {
            ...manualAction(responder),
            kind: actionKinds.requireMfa,
            subject: userSubject(supportAnalyst),
            createdMs: endMs - roleDaysBefore * dayMs + 2 * hourMs,
            with: { reason: 'A new role' },
          },
        ]),
  ];
}

function manualAction({ id, displayName }: Person) {
  return {
    policy: null,
    by: { kind: 'human', id, name: displayName },
    requesters: [],
    steps: confirmed,
    items: 1,
    failed: 0,
    isSimulated: false,
    isAcknowledged: true,
  } as const;
}

const confirmed: readonly ActionState[] = ['staged', 'approved', 'applied', 'confirmed'];
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

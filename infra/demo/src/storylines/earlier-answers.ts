import type { Company, Person } from '../company.ts';
import type { ActionPlan, Rung } from '../feeds/action.ts';
import { actionKinds } from '../feeds/actions.ts';
import { ofAgent, ofUser } from '../feeds/subjects.ts';
import { helpDesk, probesOf, roleDaysBefore } from './earlier.ts';

/** What somebody did about the smaller things of the weeks before; the latest two probes have not been looked at. */
export function answersToEarlier(company: Company, endMs: number): ActionPlan[] {
  const [responder] = company.admins;
  if (!responder) return [];
  const desk = helpDesk(company);
  const probes = probesOf(company).slice(2);
  return [
    ...probes.map(
      ({ agent, daysBefore }): ActionPlan => ({
        ...byHand(responder),
        what: actionKinds.notifyOwner,
        on: ofAgent(agent),
        createdMs: endMs - daysBefore * dayMs + 5 * hourMs,
        with: { reason: 'Prompts that tried to lift its limits' },
      }),
    ),
    ...(desk === undefined
      ? []
      : [
          {
            ...byHand(responder),
            what: actionKinds.requireMfa,
            on: ofUser(desk),
            createdMs: endMs - roleDaysBefore * dayMs + 2 * hourMs,
            with: { reason: 'A new role' },
          },
        ]),
  ];
}

function byHand({ id, displayName }: Person) {
  return {
    policy: null,
    by: { kind: 'human', id, name: displayName },
    askers: [],
    steps: confirmed,
    items: 1,
    failed: 0,
    isSimulated: false,
    isAcknowledged: true,
  } as const;
}

const confirmed: readonly Rung[] = ['staged', 'approved', 'applied', 'confirmed'];
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

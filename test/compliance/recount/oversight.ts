import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { type Account, anyName, isInUse } from './accounts.ts';
import { ago, type Chooser, count, guid, newest, nowMs, type Part, type Sent, send } from './part.ts';

const { dayMs } = input;

const createSystem = (choose: Chooser, users: readonly Account[], index: number) => ({
  type: choose.pick(['agent', 'app'] as const),
  id: choose.pick([guid('7', index), `System${index}`]),
  appId: guid('8', index),
  owner: choose.pick([null, anyName(choose, users)]),
  accountable: choose.pick([null, null, anyName(choose, users)]),
  classes: choose.several([0, 1, 1, 2], (number) => ({
    name: choose.pick(['high', 'high', 'transparency', 'minimal']),
    ageMs: choose.pick([10, 20]) * dayMs + number,
  })),
  isDeleted: choose.happens(10),
});
type System = ReturnType<typeof createSystem>;

const anyNameOf = (choose: Chooser, one: System) => choose.inAnyCase(choose.pick([one.id, one.appId]));

function sendSystem(choose: Chooser, one: System, index: number): Sent[] {
  const record = (one.type === 'agent' ? input.agent : input.app)(one.id, {
    appId: one.appId,
    owners: one.owner === null ? undefined : [{ id: one.owner }],
  });
  return [
    ...send(200 * dayMs, record),
    ...(one.accountable === null ? [] : send(30 * dayMs, input.accountable(one.type, one.id, one.accountable))),
    ...one.classes.flatMap(({ name, ageMs }, number) =>
      send(ageMs, {
        ...input.riskClass(one.type, anyNameOf(choose, one), name),
        id: `class${index}-${number}`,
      } as input.InputRecord),
    ),
    ...(one.isDeleted ? send(dayMs, input.deletedEntity(one.type, one.id)) : []),
  ];
}

const createChange = (choose: Chooser, systems: readonly System[], index: number) => {
  const ageMs = choose.near(90, 14, 40, 20);
  const agents = systems.filter(({ type }) => type === 'agent');
  return {
    id: `Change${index}`,
    ageMs,
    agent: choose.pick([null, ...agents]),
    reviews: choose.several([0, 1, 1, 2], () => ({
      kind: choose.pick(['action', 'simulation', 'decision', 'decisionOfChange', 'note', 'withdrawnNote'] as const),
      ageMs: Math.max(0, ageMs - choose.pick([14 * dayMs, 14 * dayMs + 1, 0, -1, 3 * dayMs])),
    })),
  };
};
type Change = ReturnType<typeof createChange>;

function sendReview(choose: Chooser, change: Change, review: Change['reviews'][number], id: string): Sent[] {
  const name = change.agent === null ? 'stranger' : anyNameOf(choose, change.agent);
  const atMs = nowMs - review.ageMs;
  if (review.kind === 'decision') {
    // One record for all decisions about an agent, or a record each.
    const recordId = choose.happens(50) ? `review.of.${change.agent?.id ?? 'stranger'}` : id;
    return send(review.ageMs, input.decision('agent', name, 'reviewed', atMs, {}, recordId));
  }
  if (review.kind === 'decisionOfChange')
    return send(
      review.ageMs,
      input.decision('instructionChange', choose.inAnyCase(change.id), 'approved', atMs, {}, id),
    );
  if (review.kind === 'action' || review.kind === 'simulation') {
    const createdMs = nowMs - choose.pick([change.ageMs, change.ageMs + 100 * dayMs]);
    const more = { acknowledgedAt: ago(review.ageMs), isSimulated: review.kind === 'simulation' };
    return send(
      Math.max(0, review.ageMs),
      events.action(id, 'notifyOwner', { type: 'agent', id: name }, createdMs, more),
    );
  }
  const withdrawal = review.kind === 'note' ? {} : { withdrawnAt: ago(1_000), withdrawnBy: 'chief' };
  const note = { subject: { type: 'agent', id: name }, attestedAt: ago(review.ageMs), ...withdrawal };
  return send(Math.min(1_000, review.ageMs), input.attestation(`note.of.${id.replace('-', '.n')}`, note));
}

/** Changes of instructions with their reviews, and systems that the tenant classified. */
export function createOversight(choose: Chooser, users: readonly Account[]): Part {
  const systems = choose.several([1, 4, 9], (index) => createSystem(choose, users, index));
  const changes = choose.several([2, 20], (index) => createChange(choose, systems, index));
  const due = changes.filter(({ ageMs }) => ageMs >= 14 * dayMs && ageMs <= 90 * dayMs);
  const isHigh = (one: System) => !one.isDeleted && newest(one.classes)?.name === 'high';
  const highRisk = systems.filter(isHigh);
  // A review of the agent is one of each of its changes.
  const reviewsOf = (change: Change) =>
    changes
      .filter((one) => one.agent === change.agent)
      .flatMap((one) => one.reviews.filter(({ kind }) => one === change || kind !== 'decisionOfChange'));
  const isReview = ({ kind }: Change['reviews'][number]) => kind !== 'simulation' && kind !== 'withdrawnNote';
  const isReviewed = (change: Change) =>
    reviewsOf(change).some(
      (one) => isReview(one) && one.ageMs <= change.ageMs && one.ageMs >= change.ageMs - 14 * dayMs,
    );
  return {
    sent: [
      ...systems.flatMap((one, index) => sendSystem(choose, one, index)),
      ...changes.flatMap((one, index) => [
        ...send(
          Math.max(0, one.ageMs),
          input.instructionChange(
            one.id,
            one.agent === null ? 'stranger' : anyNameOf(choose, one.agent),
            nowMs - one.ageMs,
          ),
        ),
        ...one.reviews.flatMap((review, number) => sendReview(choose, one, review, `r${index}-${number}`)),
      ]),
    ],
    counts: {
      'ai.agents.instruction_changes_reviewed': {
        changes: due.length,
        reviewed: count(due, isReviewed),
      },
      'ai.oversight.high_risk_assigned': {
        highRiskSystems: highRisk.length,
        withOversight: count(highRisk, (one) => isInUse(users, one.owner) || isInUse(users, one.accountable)),
      },
    },
  };
}

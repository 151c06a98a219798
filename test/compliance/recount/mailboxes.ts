import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { notification } from '../notifications.ts';
import { ago, type Chooser, count, guid, nowMs, type Part, type Sent, send } from './part.ts';

const { dayMs, hourMs } = input;

const createAccount = (index: number) => ({
  id: guid('b', index),
  signInName: `p${index}@contoso.example`,
  mail: `m${index}@contoso.example`,
});
type Account = ReturnType<typeof createAccount>;
const anyNameOf = (choose: Chooser, { id, signInName, mail }: Account) =>
  choose.inAnyCase(choose.pick([id, signInName, mail]));

const createForwarding = (choose: Chooser, users: readonly Account[]) => ({
  account: choose.pick(users),
  ageMs: choose.near(90, 40, 2),
  reviews: choose.several([0, 1, 1, 2], () => ({
    kind: choose.pick(['approval', 'review', 'removal', 'openRemoval', 'simulation', 'otherAction'] as const),
    ageMs: Math.max(0, choose.near(90, 40, 2, 1)),
  })),
});
type Forwarding = ReturnType<typeof createForwarding>;

function sendReview(
  choose: Chooser,
  { account }: Forwarding,
  review: Forwarding['reviews'][number],
  id: string,
): Sent[] {
  const { kind, ageMs } = review;
  const name = anyNameOf(choose, account);
  const atMs = nowMs - ageMs;
  if (kind === 'approval' || kind === 'review') {
    const outcome = kind === 'approval' ? choose.pick(['approved', 'accepted'] as const) : 'reviewed';
    return send(ageMs, input.decision(choose.pick(['user', 'mailbox']), name, outcome, atMs, {}, id));
  }
  const type = kind === 'otherAction' ? 'blockUser' : choose.pick(['removeInboxRule', 'disableForwarding']);
  const more = { rollupRung: kind === 'openRemoval' ? 'staged' : 'applied', isSimulated: kind === 'simulation' };
  return send(ageMs, events.action(id, type, { type: 'mailbox', id: name }, atMs, more));
}

const roleChange = (
  { id, signInName }: Account,
  occurredMs: number,
  role: string,
  isFailed: boolean,
): input.InputRecord => ({
  topic: 'activity',
  format: 'o365.management-activity',
  record: {
    Id: crypto.randomUUID(),
    CreationTime: input.at(occurredMs).slice(0, 19),
    Operation: 'Add member to role.',
    RecordType: 8,
    Workload: 'AzureActiveDirectory',
    ResultStatus: isFailed ? 'Failure' : 'Success',
    UserType: 0,
    UserId: 'chief@contoso.example',
    Target: [
      { ID: `User_${id}`, Type: 2 },
      { ID: id, Type: 2 },
      { ID: 'User', Type: 2 },
      { ID: signInName, Type: 5 },
    ],
    ModifiedProperties: [{ Name: 'Role.DisplayName', NewValue: role, OldValue: '' }],
  },
});

const createAssignment = (choose: Chooser, users: readonly Account[]) => {
  const ageMs = choose.near(30, 1, 10);
  return {
    account: choose.pick(users),
    ageMs,
    role: choose.pick(['Global Administrator', 'Global Administrator', 'Message Center Reader']),
    isFailed: choose.happens(15),
    reactions: choose.several([0, 1, 1, 2], () => ({
      kind: choose.pick(['notice', 'suppressed', 'action', 'simulation', 'unseenAction'] as const),
      ageMs: Math.max(0, ageMs - choose.pick([0, dayMs, dayMs + 1_000, dayMs + 1_000, -1_000])),
    })),
  };
};
type Assignment = ReturnType<typeof createAssignment>;

function sendReaction(
  choose: Chooser,
  { account }: Assignment,
  reaction: Assignment['reactions'][number],
  id: string,
): Sent[] {
  const { kind, ageMs } = reaction;
  const name = anyNameOf(choose, account);
  if (kind === 'notice' || kind === 'suppressed') {
    const about = choose.pick([
      { resourceType: 'user', resourceId: name },
      { subjectType: 'user', subjectId: name },
    ]);
    const decision = kind === 'notice' ? {} : { decision: 'suppressed', reason: 'cooldown' };
    return send(ageMs, notification(id, nowMs - ageMs, { ...about, ...decision }));
  }
  const more = {
    isSimulated: kind === 'simulation',
    acknowledgedAt: kind === 'unseenAction' ? undefined : ago(ageMs),
  };
  const createdMs = nowMs - ageMs - choose.pick([0, hourMs, 40 * dayMs]);
  return send(ageMs, events.action(id, 'removeRole', { type: 'user', id: name }, createdMs, more));
}

/** Mail that is forwarded to outside, privileged roles that are assigned, and the reactions to both. */
export function createMailboxes(choose: Chooser): Part {
  const users = choose.several([1, 10], createAccount);
  const forwardings = choose.several([2, 15], () => createForwarding(choose, users));
  const assignments = choose.several([2, 15], () => createAssignment(choose, users));
  const recent = forwardings.filter(({ ageMs }) => ageMs <= 90 * dayMs);
  const due = assignments.filter(
    ({ ageMs, role, isFailed }) =>
      ageMs >= dayMs && ageMs <= 30 * dayMs && role === 'Global Administrator' && !isFailed,
  );
  // A decision or a removal is about the mailbox, whichever rule it was made for.
  const isReviewed = (forwarding: Forwarding) =>
    forwardings
      .filter(({ account }) => account === forwarding.account)
      .flatMap(({ reviews }) => reviews)
      .some(({ kind, ageMs }) => (kind === 'approval' || kind === 'removal') && ageMs <= forwarding.ageMs);
  const isFollowed = (assignment: Assignment) =>
    assignments
      .filter(({ account }) => account === assignment.account)
      .flatMap(({ reactions }) => reactions)
      .some(
        ({ kind, ageMs }) =>
          (kind === 'notice' || kind === 'action') && ageMs <= assignment.ageMs && ageMs >= assignment.ageMs - dayMs,
      );
  return {
    sent: [
      ...send(
        200 * dayMs,
        ...users.map(({ id, signInName, mail }) => input.user(id, { userPrincipalName: signInName, mail })),
      ),
      ...forwardings.flatMap((one, index) => [
        ...send(
          one.ageMs,
          events.forwarding(
            choose.pick([one.account.signInName, one.account.mail]),
            'eve@elsewhere.example',
            nowMs - one.ageMs,
          ),
        ),
        ...one.reviews.flatMap((review, number) => sendReview(choose, one, review, `forwarding${index}-${number}`)),
      ]),
      ...assignments.flatMap((one, index) => [
        ...send(one.ageMs, roleChange(one.account, nowMs - one.ageMs, one.role, one.isFailed)),
        ...one.reactions.flatMap((reaction, number) => sendReaction(choose, one, reaction, `role${index}-${number}`)),
      ]),
    ],
    counts: {
      'data.mail.external_forwarding': {
        forwardings: recent.length,
        unreviewed: count(recent, (one) => !isReviewed(one)),
      },
      'iam.privileged_changes.notified': { changes: due.length, followed: count(due, isFollowed) },
    },
  };
}

import { randomUUID } from 'node:crypto';
import * as events from './events.ts';
import * as input from './input-records.ts';
import { notification } from './notifications.ts';
import { many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs, hourMs } = input;

/** A role assignment or removal as the directory's audit log reports it. */
const roleChange = (
  userId: string,
  occurredMs: number,
  more: { operation?: string; role?: string; result?: string } = {},
): input.InputRecord => ({
  topic: 'activity',
  format: 'o365.management-activity',
  record: {
    Id: randomUUID(),
    CreationTime: input.at(occurredMs).slice(0, 19),
    Operation: more.operation ?? 'Add member to role.',
    RecordType: 8,
    Workload: 'AzureActiveDirectory',
    ResultStatus: more.result ?? 'Success',
    UserType: 0,
    UserId: 'chief@contoso.example',
    Target: [
      { ID: `User_${userId}`, Type: 2 },
      { ID: userId, Type: 2 },
      { ID: 'User', Type: 2 },
      { ID: `${userId}@contoso.example`, Type: 5 },
    ],
    ModifiedProperties: [{ Name: 'Role.DisplayName', NewValue: more.role ?? 'Global Administrator', OldValue: '' }],
  },
});

const givenMs = nowMs - 10 * dayMs;
const holder = (index: number) => `00000000-0000-4000-8000-0000000000${String(10 + index)}`;
/** Users who were assigned a role; for some of them no notification was sent in time. */
const roleAssignments = (count: number, unnoticed: number) => [
  ...many(count, (index) => input.user(holder(index), { userPrincipalName: `user${index}@contoso.example` })),
  ...many(count, (index) => roleChange(holder(index), givenMs)),
  ...many(count - unnoticed, (index) =>
    index % 2
      ? notification(`notified${index}`, givenMs + dayMs, { subjectType: 'user', subjectId: holder(index) })
      : // Notified under the sign-in name, or as a decision request that was acknowledged.
        index % 4
        ? notification(`notified${index}`, givenMs, {
            resourceType: 'user',
            resourceId: `User${index}@contoso.example`,
          })
        : events.action(`decision${index}`, 'removeRole', { type: 'user', id: holder(index) }, givenMs, {
            acknowledgedAt: input.at(givenMs + dayMs),
          }),
  ),
  ...many(unnoticed, (index) => {
    const id = holder(count - 1 - index);
    return [
      notification(`late${index}`, givenMs + dayMs + 1, { subjectType: 'user', subjectId: id }),
      notification(`early${index}`, givenMs - 1, { subjectType: 'user', subjectId: id }),
      notification(`suppressed${index}`, givenMs, { subjectId: id, decision: 'suppressed', reason: 'cooldown' }),
      events.action(`simulated${index}`, 'removeRole', { type: 'user', id }, givenMs, {
        acknowledgedAt: input.at(givenMs + hourMs),
        isSimulated: true,
      }),
      events.action(`ignored${index}`, 'removeRole', { type: 'user', id }, givenMs),
    ];
  }).flat(),
];
/** Neither of these assigned a privileged role within the window. */
const others = [
  roleChange(holder(80), nowMs - 30 * dayMs - 1_000),
  roleChange(holder(81), givenMs, { operation: 'Remove member from role.' }),
  roleChange(holder(82), givenMs, { role: 'Message Center Reader' }),
  roleChange(holder(83), givenMs, { result: 'Failure' }),
];

testOutcomes(requirementPrefixes.roles, {
  'iam.privileged_changes.notified': {
    met: [
      { records: [...roleAssignments(20, 1), ...others], counts: { changes: 20, followed: 19, followedPct: 95 } },
      {
        // The sign-in name was that of an account that is deleted.
        records: [
          input.user(holder(0), { userPrincipalName: 'user@contoso.example' }),
          input.deletedEntity('user', holder(0)),
          input.user(holder(1), { userPrincipalName: 'user@contoso.example' }),
          roleChange(holder(1), givenMs),
          notification('notified', givenMs, { resourceType: 'user', resourceId: 'user@contoso.example' }),
        ],
        counts: { changes: 1, followed: 1, followedPct: 100 },
      },
      {
        // The action about the account was there before the window, and was acknowledged in time.
        records: [
          roleChange(holder(0), nowMs - 29 * dayMs),
          events.action('review', 'removeRole', { type: 'user', id: holder(0) }, nowMs - 40 * dayMs, {
            acknowledgedAt: input.at(nowMs - 28 * dayMs),
          }),
        ],
        counts: { changes: 1, followed: 1, followedPct: 100 },
      },
    ],
    at_risk: { records: [...roleAssignments(4, 1), ...others], counts: { changes: 4, followed: 3, followedPct: 75 } },
    not_met: [
      { records: roleAssignments(3, 1), counts: { changes: 3, followed: 2, followedPct: 66.6 } },
      {
        records: [
          roleChange(holder(0), nowMs - 30 * dayMs),
          roleChange(holder(1), nowMs - dayMs),
          // A day is not over: it can still be followed in time.
          roleChange(holder(2), nowMs - dayMs + 1_000),
        ],
        counts: { changes: 2, followed: 0, followedPct: 0 },
      },
    ],
    empty: { records: others, counts: { changes: 0, followed: 0 } },
  },
});

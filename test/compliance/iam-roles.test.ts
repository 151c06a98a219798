import { randomUUID } from 'node:crypto';
import * as happened from './happened.ts';
import { notification } from './notified.ts';
import { many, nowMs, prefixesOf, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs, hourMs } = said;

/** Somebody was given a role, or lost it, as the directory's audit says. */
const roleChange = (
  userId: string,
  occurredMs: number,
  more: { operation?: string; role?: string; result?: string } = {},
): said.Saying => ({
  topic: 'activity',
  format: 'o365.management-activity',
  record: {
    Id: randomUUID(),
    CreationTime: said.at(occurredMs).slice(0, 19),
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
/** So many who were given a role, of whom some nobody was told of in time. */
const given = (count: number, unnoticed: number) => [
  ...many(count, (index) => said.user(holder(index), { userPrincipalName: `user${index}@contoso.example` })),
  ...many(count, (index) => roleChange(holder(index), givenMs)),
  ...many(count - unnoticed, (index) =>
    index % 2
      ? notification(`told${index}`, givenMs + dayMs, { subjectType: 'user', subjectId: holder(index) })
      : // Told by the sign-in name, or asked for a decision that somebody took notice of.
        index % 4
        ? notification(`told${index}`, givenMs, { resourceType: 'user', resourceId: `User${index}@contoso.example` })
        : happened.action(`asked${index}`, 'removeRole', { type: 'user', id: holder(index) }, givenMs, {
            acknowledgedAt: said.at(givenMs + dayMs),
          }),
  ),
  ...many(unnoticed, (index) => {
    const id = holder(count - 1 - index);
    return [
      notification(`late${index}`, givenMs + dayMs + 1, { subjectType: 'user', subjectId: id }),
      notification(`early${index}`, givenMs - 1, { subjectType: 'user', subjectId: id }),
      notification(`kept${index}`, givenMs, { subjectId: id, decision: 'suppressed', reason: 'cooldown' }),
      happened.action(`simulated${index}`, 'removeRole', { type: 'user', id }, givenMs, {
        acknowledgedAt: said.at(givenMs + hourMs),
        isSimulated: true,
      }),
      happened.action(`ignored${index}`, 'removeRole', { type: 'user', id }, givenMs),
    ];
  }).flat(),
];
/** Neither of these gave anybody a role that opens much within the window. */
const others = [
  roleChange(holder(80), nowMs - 30 * dayMs - 1_000),
  roleChange(holder(81), givenMs, { operation: 'Remove member from role.' }),
  roleChange(holder(82), givenMs, { role: 'Message Center Reader' }),
  roleChange(holder(83), givenMs, { result: 'Failure' }),
];

testOutcomes(prefixesOf.roles, {
  'iam.privileged_changes.notified': {
    met: { told: [...given(20, 1), ...others], counts: { changes: 20, followed: 19, followedPct: 95 } },
    at_risk: { told: [...given(4, 1), ...others], counts: { changes: 4, followed: 3, followedPct: 75 } },
    not_met: [
      { told: given(3, 1), counts: { changes: 3, followed: 2, followedPct: 66.6 } },
      {
        told: [roleChange(holder(0), nowMs - 30 * dayMs), roleChange(holder(1), nowMs)],
        counts: { changes: 2, followed: 0, followedPct: 0 },
      },
    ],
    empty: { told: others, counts: { changes: 0, followed: 0 } },
  },
});

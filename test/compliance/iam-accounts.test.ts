import { randomUUID } from 'node:crypto';
import * as events from './events.ts';
import * as input from './input-records.ts';
import { ingestedAt, many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs, hourMs } = input;
const ago = (ms: number) => input.at(nowMs - ms);

/** Accounts that no share of members counts, whatever they lack. */
const uncounted = [
  input.guest('gus', { mfaRegistered: false }),
  input.user('left', { accountEnabled: false, mfaRegistered: false }),
  input.user('sync', { roles: ['Directory Synchronization Accounts'], mfaRegistered: false }),
  input.user('backup', { employeeType: 'Service account', mfaRegistered: false }),
  input.user('gone', { mfaRegistered: false }),
  input.deletedEntity('user', 'gone'),
];
/** Members; some have no second factor, and for others it is unknown. */
const members = (count: number, without: number, unknown = 0) =>
  many(count, (index) =>
    input.user(`member${index}`, {
      mfaRegistered: index < without ? false : index < without + unknown ? null : true,
    }),
  );
const admins = (count: number, more: (index: number) => object) =>
  many(count, (index) => input.user(`admin${index}`, { roles: ['User Administrator'], ...more(index) }));

/** Nine phishing-resistant methods and a tenth that is not one. */
const resistant = [
  'fido2SecurityKey',
  'passKeyDeviceBound',
  'passKeyDeviceBoundAuthenticator',
  'passKeyDeviceBoundWindowsHello',
  'windowsHelloForBusiness',
  'x509CertificateSingleFactor',
  'certificateBasedAuthentication',
  'macOsSecureEnclaveKey',
  'FIDO2',
  'softwareOneTimePasscode',
];

const withUnknownRoles = (count: number) => many(count, (index) => input.user(`roles${index}`, { isAdmin: null }));

const globalAdmin = (id: string, permanent: boolean | null = true) =>
  input.user(id, { roles: [{ name: 'Global Administrator', permanent }] });

/** Accounts of this age; some have not signed in for more than 90 days. */
const accounts = (make: typeof input.user, count: number, idle: number) => [
  ...many(count, (index) =>
    make(`account${index}`, {
      createdAt: index % 2 ? ago(30 * dayMs + 1) : null,
      lastSignInAt: index < idle ? ago(90 * dayMs + 1) : ago(200 * dayMs),
      lastNonInteractiveSignInAt: index < idle ? null : ago(90 * dayMs),
    }),
  ),
  make('new', { createdAt: ago(30 * dayMs), lastSignInAt: null }),
  make('disabled', { createdAt: ago(900 * dayMs), accountEnabled: false, lastSignInAt: null }),
  input.user('backup', { employeeType: 'Service account', createdAt: ago(900 * dayMs), lastSignInAt: null }),
];

const risky = (id: string, ageMs: number | null, more: object = {}) =>
  input.user(id, {
    riskLevel: 'high',
    riskState: 'atRisk',
    riskUpdatedAt: ageMs === null ? null : ago(ageMs),
    ...more,
  });

const ownedGroups = (count: number, orphans: number) => [
  input.user('anna'),
  input.user('left', { accountEnabled: false }),
  ...many(count, (index) => {
    const owner = index >= orphans ? 'ANNA@contoso.example' : index % 2 ? 'left' : 'nobody';
    return input.group(`group${index}`, { owners: [{ id: owner, name: owner }] });
  }),
  input.group('security', { groupType: 'security', owners: [] }),
  input.group('closed', { owners: [] }),
  input.deletedEntity('group', 'closed'),
];

/** An account disabled at this time and the later events in its name. */
const leaver = (disabledAgoMs: number, ...eventsAgoMs: readonly number[]) => [
  input.user('leo', { accountEnabled: false, disabledAt: ago(disabledAgoMs) }),
  input.user('anna'),
  events.fileEvent('FileAccessed', 'plan', 'anna', nowMs - hourMs),
  ...eventsAgoMs.map((ms) => events.fileEvent('FileAccessed', randomUUID(), 'leo', nowMs - ms)),
];

testOutcomes(requirementPrefixes.accounts, {
  'iam.mfa.members': {
    met: { records: [...members(50, 1), ...uncounted], counts: { members: 50, mfaRegistered: 49, mfaPct: 98 } },
    at_risk: [
      { records: [...members(10, 1), ...uncounted], counts: { members: 10, mfaRegistered: 9, mfaPct: 90 } },
      {
        records: [...members(9, 0), input.user('support', { employeeType: 'Customer service', mfaRegistered: false })],
        counts: { members: 10, mfaRegistered: 9, mfaPct: 90 },
      },
    ],
    not_met: { records: [...members(9, 1), ...uncounted], counts: { members: 9, mfaRegistered: 8, mfaPct: 88.8 } },
    empty: { records: uncounted, counts: { members: 0, mfaRegistered: 0, mfaPct: null } },
    unknown: {
      records: [...members(20, 0, 1), input.user('name', { accountEnabled: null, userType: null }), ...uncounted],
      counts: { members: 21, mfaRegistered: 19, unknown: 2 },
    },
    untold: {
      records: members(2, 2).map(
        (one) => ({ ...one, members: { displayName: 'Somebody', userType: 'member' } }) as input.InputRecord,
      ),
      counts: { members: 2, mfaRegistered: null },
    },
  },
  'iam.mfa.admins': {
    met: {
      records: [
        ...admins(2, () => ({})),
        input.guest('partner', { isAdmin: true }),
        ...admins(0, () => ({})),
        ...uncounted,
        input.user('former', { roles: ['User Administrator'], accountEnabled: false, mfaRegistered: false }),
      ],
      counts: { admins: 3, mfaRegistered: 3, mfaPct: 100 },
    },
    at_risk: {
      records: admins(20, (index) => ({ mfaRegistered: index > 0 })),
      counts: { admins: 20, mfaRegistered: 19, mfaPct: 95 },
    },
    // A service account with the role of an administrator is an administrator.
    not_met: {
      records: admins(19, (index) => ({ mfaRegistered: index > 0, employeeType: 'Service account' })),
      counts: { admins: 19, mfaRegistered: 18, mfaPct: 94.7 },
    },
    empty: { records: [...members(2, 0), ...uncounted], counts: { admins: 0, mfaRegistered: 0 } },
    unknown: {
      records: [...admins(2, () => ({})), ...withUnknownRoles(1), ...uncounted],
      counts: { admins: 3, mfaRegistered: 2, unknown: 1 },
    },
    untold: { records: admins(1, () => ({ mfaRegistered: null })), counts: { admins: 1, mfaRegistered: null } },
  },
  'iam.admins.phishing_resistant': {
    met: {
      records: admins(10, (index) => ({
        methodsRegistered: ['mobilePhone', ...(resistant[index] ? [resistant[index]] : [])],
      })),
      counts: { admins: 10, phishingResistant: 9, resistantPct: 90 },
    },
    at_risk: {
      records: admins(2, (index) => ({ methodsRegistered: index ? ['fido2SecurityKey'] : [] })),
      counts: { admins: 2, phishingResistant: 1, resistantPct: 50 },
    },
    not_met: {
      records: admins(1, () => ({
        methodsRegistered: ['microsoftAuthenticatorPasswordless', 'microsoftAuthenticatorPush', 'temporaryAccessPass'],
      })),
      counts: { admins: 1, phishingResistant: 0, resistantPct: 0 },
    },
    empty: { records: members(1, 0), counts: { admins: 0, phishingResistant: 0 } },
    untold: { records: admins(2, () => ({})), counts: { admins: 2, phishingResistant: null } },
  },
  'iam.admins.global_count': {
    met: [
      {
        records: [globalAdmin('a'), globalAdmin('b', null), globalAdmin('eligible', false), ...members(3, 0)],
        counts: { enabledMembers: 6, globalAdmins: 2 },
      },
      { records: many(4, (index) => globalAdmin(`a${index}`)), counts: { enabledMembers: 4, globalAdmins: 4 } },
    ],
    at_risk: [
      { records: [globalAdmin('a')], counts: { enabledMembers: 1, globalAdmins: 1 } },
      { records: many(8, (index) => globalAdmin(`a${index}`)), counts: { enabledMembers: 8, globalAdmins: 8 } },
    ],
    not_met: [
      { records: [input.user('anna', { roles: [] })], counts: { enabledMembers: 1, globalAdmins: 0 } },
      { records: many(9, (index) => globalAdmin(`a${index}`)), counts: { enabledMembers: 9, globalAdmins: 9 } },
    ],
    empty: { records: [input.guest('gus', { roles: [] })], counts: { enabledMembers: 0 } },
    untold: { records: withUnknownRoles(3), counts: { enabledMembers: 3, globalAdmins: null } },
    unknown: [
      {
        records: [globalAdmin('a'), globalAdmin('b'), ...members(5, 0), ...withUnknownRoles(3)],
        counts: { enabledMembers: 10, globalAdmins: 2, unknown: 3 },
      },
      {
        // Guests and service accounts may be administrators too.
        records: [
          globalAdmin('a'),
          globalAdmin('b'),
          ...members(5, 0),
          ...many(4, (index) => input.guest(`guest${index}`, { isAdmin: null })),
          input.user('scanner', { employeeType: 'Service', isAdmin: null }),
        ],
        counts: { enabledMembers: 12, globalAdmins: 2, unknown: 5 },
      },
    ],
  },
  'iam.accounts.inactive': {
    met: {
      records: [...accounts(input.user, 34, 1), input.guest('gus', { createdAt: ago(900 * dayMs) })],
      counts: { members: 34, inactive: 1, inactivePct: 3 },
    },
    at_risk: { records: accounts(input.user, 10, 1), counts: { members: 10, inactive: 1, inactivePct: 10 } },
    not_met: { records: accounts(input.user, 19, 2), counts: { members: 19, inactive: 2, inactivePct: 10.6 } },
    empty: { records: accounts(input.user, 0, 0), counts: { members: 0, inactive: 0 } },
    untold: {
      records: [input.user('anna', { createdAt: ago(90 * dayMs) })],
      counts: { members: 1, inactive: null },
    },
  },
  'iam.guests.inactive': {
    met: {
      records: [...accounts(input.guest, 10, 1), input.user('anna', { createdAt: ago(900 * dayMs) })],
      counts: { guests: 10, inactive: 1, inactivePct: 10 },
    },
    at_risk: { records: accounts(input.guest, 10, 3), counts: { guests: 10, inactive: 3, inactivePct: 30 } },
    not_met: { records: accounts(input.guest, 10, 4), counts: { guests: 10, inactive: 4, inactivePct: 40 } },
    empty: { records: members(2, 0), counts: { guests: 0, inactive: 0 } },
    unknown: [
      {
        records: [...accounts(input.guest, 4, 0), input.guest('gus')],
        counts: { guests: 5, inactive: 1, unknown: 1 },
      },
      {
        // An account of which it is not reported whether it is a guest.
        records: [
          ...accounts(input.guest, 4, 0),
          input.user('any', { userType: null, isExternal: null, createdAt: ago(99 * dayMs), lastSignInAt: ago(dayMs) }),
        ],
        counts: { guests: 5, inactive: 1, unknown: 1 },
      },
    ],
    untold: { records: [input.guest('gus')], counts: { guests: 1, inactive: null } },
  },
  'iam.leavers.activity': {
    // Exactly 24 hours after departure is not yet activity of a departed user; neither is a failed attempt or an event before the window.
    met: {
      records: [
        ...leaver(20 * dayMs, 19 * dayMs, 25 * dayMs),
        events.appUse(randomUUID(), 'leo', nowMs - dayMs, { Operation: 'UserLoginFailed' }),
      ],
      counts: { disabledAccounts: 1, eventsAfterDisable: 0 },
    },
    at_risk: [
      {
        records: leaver(20 * dayMs, 19 * dayMs - 1_000, ...many(4, () => 0)),
        counts: { disabledAccounts: 1, eventsAfterDisable: 5 },
      },
      // A user who left long ago and is still active belongs to the population.
      {
        records: leaver(700 * dayMs, 30 * dayMs, 30 * dayMs + 1_000),
        counts: { disabledAccounts: 1, eventsAfterDisable: 1 },
      },
      // The departure time is unknown: at the latest when it was recorded.
      {
        records: [
          ingestedAt(nowMs - 10 * dayMs, input.user('leo', { accountEnabled: false })),
          events.fileEvent('FileAccessed', 'plan', 'leo', nowMs - 10 * dayMs + hourMs),
          events.fileEvent('FileAccessed', 'plan', 'leo', nowMs - 2 * dayMs),
        ],
        counts: { disabledAccounts: 1, eventsAfterDisable: 1 },
      },
      // Later changes of the record do not move that time, nor does its deletion.
      {
        records: [
          ingestedAt(nowMs - 10 * dayMs, input.user('leo', { accountEnabled: false })),
          events.fileEvent('FileAccessed', 'plan', 'leo', nowMs - 8 * dayMs),
          ingestedAt(nowMs - 7 * dayMs, input.user('leo', { accountEnabled: false, lastSignInAt: ago(8 * dayMs) })),
          ingestedAt(nowMs - 6 * dayMs, input.user('leo', { accountEnabled: false, department: 'Archive' })),
          ingestedAt(nowMs - dayMs, input.deletedEntity('user', 'leo')),
        ],
        counts: { disabledAccounts: 1, eventsAfterDisable: 1 },
      },
      // An account that was enabled in between left when it was disabled again.
      {
        records: [
          ingestedAt(nowMs - 20 * dayMs, input.user('leo', { accountEnabled: false })),
          ingestedAt(nowMs - 19 * dayMs, input.user('leo', { accountEnabled: false, department: 'Archive' })),
          ingestedAt(nowMs - 10 * dayMs, input.user('leo')),
          events.fileEvent('FileAccessed', 'plan', 'leo', nowMs - 9 * dayMs),
          ingestedAt(nowMs - 8 * dayMs, input.user('leo', { accountEnabled: false })),
          events.fileEvent('FileAccessed', 'plan', 'leo', nowMs - 6 * dayMs),
          ingestedAt(nowMs - 5 * dayMs, input.user('leo', { accountEnabled: false, department: 'Archive' })),
        ],
        counts: { disabledAccounts: 1, eventsAfterDisable: 1 },
      },
      // Deleted accounts are disabled ones.
      {
        records: [
          ingestedAt(nowMs - 12 * dayMs, input.user('leo')),
          ingestedAt(nowMs - 10 * dayMs, input.deletedEntity('user', 'leo')),
          events.fileEvent('FileAccessed', 'plan', 'leo', nowMs - 11 * dayMs),
          events.fileEvent('FileAccessed', 'plan', 'leo', nowMs - dayMs),
        ],
        counts: { disabledAccounts: 1, eventsAfterDisable: 1 },
      },
    ],
    not_met: {
      records: leaver(20 * dayMs, ...many(6, () => dayMs)),
      counts: { disabledAccounts: 1, eventsAfterDisable: 6 },
    },
    empty: [
      { records: leaver(366 * dayMs), counts: { disabledAccounts: 0, eventsAfterDisable: 0 } },
      // Another user has the name by now.
      {
        records: [...leaver(366 * dayMs, dayMs), input.user('leonie', { mail: 'leo@contoso.example' })],
        counts: { disabledAccounts: 0, eventsAfterDisable: 0 },
      },
    ],
  },
  'iam.risky_users.handled': {
    met: {
      records: [
        risky('fresh', 72 * hourMs),
        risky('handled', 90 * dayMs, { riskState: 'remediated' }),
        risky('medium', 90 * dayMs, { riskLevel: 'medium' }),
      ],
      counts: { riskyUsers: 1, overdue: 0 },
    },
    at_risk: [
      {
        records: [
          risky('old', 72 * hourMs + 1),
          risky('taken over', 73 * hourMs, { riskState: 'confirmedCompromised' }),
        ].map((one, index) => ({ ...one, id: `user${index}` })),
        counts: { riskyUsers: 2, overdue: 2 },
      },
      // A later detection changes the reported time, and the risk goes on. Of one that was handled it begins again.
      {
        records: [
          ingestedAt(nowMs - 90 * hourMs, risky('attacked', 90 * hourMs), risky('handled', 90 * hourMs)),
          ingestedAt(nowMs - 50 * hourMs, risky('handled', 50 * hourMs, { riskState: 'remediated' })),
          ...[40, 2].flatMap((hours) => [
            ingestedAt(nowMs - hours * hourMs, risky('attacked', hours * hourMs), risky('handled', hours * hourMs)),
          ]),
        ],
        counts: { riskyUsers: 2, overdue: 1 },
      },
    ],
    not_met: {
      records: [risky('a', 90 * dayMs), risky('b', 90 * dayMs), risky('c', 90 * dayMs, { riskState: null })],
      counts: { riskyUsers: 3, overdue: 3 },
    },
    empty: { records: members(2, 0), counts: { riskyUsers: 0, overdue: 0 } },
  },
  'iam.groups.owned': {
    met: { records: ownedGroups(50, 1), counts: { groups: 50, owned: 49, ownedPct: 98 } },
    at_risk: { records: ownedGroups(10, 1), counts: { groups: 10, owned: 9, ownedPct: 90 } },
    not_met: { records: ownedGroups(20, 3), counts: { groups: 20, owned: 17, ownedPct: 85 } },
    empty: { records: ownedGroups(0, 0), counts: { groups: 0, owned: 0 } },
    unknown: {
      records: [...ownedGroups(4, 0), input.group('staff')],
      counts: { groups: 5, owned: 4, unknown: 1 },
    },
    untold: { records: [input.group('staff')], counts: { groups: 1, owned: null } },
  },
});

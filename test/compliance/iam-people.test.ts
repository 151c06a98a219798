import { randomUUID } from 'node:crypto';
import * as happened from './happened.ts';
import { many, nowMs, prefixesOf, tellAt, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs, hourMs } = said;
const ago = (ms: number) => said.at(nowMs - ms);

/** Those that count for no share of members, whatever they lack. */
const bystanders = [
  said.guest('gus', { mfaRegistered: false }),
  said.user('left', { accountEnabled: false, mfaRegistered: false }),
  said.user('sync', { roles: ['Directory Synchronization Accounts'], mfaRegistered: false }),
  said.user('gone', { mfaRegistered: false }),
  said.gone('user', 'gone'),
];
/** So many members, of whom so many have no second factor; of the last of those nobody knows. */
const members = (count: number, without: number) =>
  many(count, (index) =>
    said.user(`member${index}`, { mfaRegistered: index >= without ? true : index === without - 1 ? null : false }),
  );
const admins = (count: number, more: (index: number) => object) =>
  many(count, (index) => said.user(`admin${index}`, { roles: ['User Administrator'], ...more(index) }));

/** Nine methods that no false page can be given, and a tenth that is none. */
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

const globalAdmin = (id: string, permanent: boolean | null = true) =>
  said.user(id, { roles: [{ name: 'Global Administrator', permanent }] });

/** Of so many accounts that old, so many did not sign in for longer than 90 days; of the last of those nobody knows that it ever did. */
const accounts = (make: typeof said.user, count: number, idle: number) => [
  ...many(count, (index) =>
    make(`account${index}`, {
      createdAt: index % 2 ? ago(30 * dayMs + 1) : null,
      lastSignInAt: index < idle - 1 ? ago(90 * dayMs + 1) : ago(200 * dayMs),
      lastNonInteractiveSignInAt: index < idle ? null : ago(90 * dayMs),
      ...(index === idle - 1 ? { lastSignInAt: null } : {}),
    }),
  ),
  make('new', { createdAt: ago(30 * dayMs), lastSignInAt: null }),
  make('disabled', { createdAt: ago(900 * dayMs), accountEnabled: false, lastSignInAt: null }),
];

const risky = (id: string, ageMs: number | null, more: object = {}) =>
  said.user(id, {
    riskLevel: 'high',
    riskState: 'atRisk',
    riskUpdatedAt: ageMs === null ? null : ago(ageMs),
    ...more,
  });

const ownedGroups = (count: number, orphans: number) => [
  said.user('anna'),
  said.user('left', { accountEnabled: false }),
  ...many(count, (index) => {
    const owner = index >= orphans ? 'ANNA@contoso.example' : index % 2 ? 'left' : 'nobody';
    return said.group(`group${index}`, { owners: index === 2 && orphans > 2 ? null : [{ id: owner, name: owner }] });
  }),
  said.group('security', { groupType: 'security', owners: [] }),
  said.group('closed', { owners: [] }),
  said.gone('group', 'closed'),
];

/** An account that was disabled so long ago, and what was done in its name since. */
const leaver = (disabledAgoMs: number, ...eventsAgoMs: readonly number[]) => [
  said.user('leo', { accountEnabled: false, disabledAt: ago(disabledAgoMs) }),
  said.user('anna'),
  happened.fileEvent('FileAccessed', 'plan', 'anna', nowMs - hourMs),
  ...eventsAgoMs.map((ms) => happened.fileEvent('FileAccessed', randomUUID(), 'leo', nowMs - ms)),
];

testOutcomes(prefixesOf.people, {
  'iam.mfa.members': {
    met: { told: [...members(50, 1), ...bystanders], counts: { members: 50, mfaRegistered: 49, mfaPct: 98 } },
    at_risk: { told: [...members(10, 1), ...bystanders], counts: { members: 10, mfaRegistered: 9, mfaPct: 90 } },
    not_met: { told: [...members(9, 1), ...bystanders], counts: { members: 9, mfaRegistered: 8, mfaPct: 88.8 } },
    empty: { told: bystanders, counts: { members: 0, mfaRegistered: 0, mfaPct: null } },
    untold: {
      told: members(2, 2).map(
        (one) => ({ ...one, members: { displayName: 'Somebody', userType: 'member' } }) as said.Saying,
      ),
      counts: { members: 2, mfaRegistered: null },
    },
  },
  'iam.mfa.admins': {
    met: {
      told: [
        ...admins(2, () => ({})),
        said.guest('partner', { isAdmin: true }),
        ...admins(0, () => ({})),
        ...bystanders,
        said.user('former', { roles: ['User Administrator'], accountEnabled: false, mfaRegistered: false }),
      ],
      counts: { admins: 3, mfaRegistered: 3, mfaPct: 100 },
    },
    at_risk: {
      told: admins(20, (index) => ({ mfaRegistered: index > 0 })),
      counts: { admins: 20, mfaRegistered: 19, mfaPct: 95 },
    },
    not_met: {
      told: admins(19, (index) => ({ mfaRegistered: index > 0 ? true : null })),
      counts: { admins: 19, mfaRegistered: 18, mfaPct: 94.7 },
    },
    empty: { told: [...members(2, 0), ...bystanders], counts: { admins: 0, mfaRegistered: 0 } },
    untold: { told: admins(1, () => ({ mfaRegistered: null })), counts: { admins: 1, mfaRegistered: null } },
  },
  'iam.admins.phishing_resistant': {
    met: {
      told: admins(10, (index) => ({
        methodsRegistered: ['mobilePhone', ...(resistant[index] ? [resistant[index]] : [])],
      })),
      counts: { admins: 10, phishingResistant: 9, resistantPct: 90 },
    },
    at_risk: {
      told: admins(2, (index) => ({ methodsRegistered: index ? ['fido2SecurityKey'] : null })),
      counts: { admins: 2, phishingResistant: 1, resistantPct: 50 },
    },
    not_met: {
      told: admins(1, () => ({
        methodsRegistered: ['microsoftAuthenticatorPasswordless', 'microsoftAuthenticatorPush', 'temporaryAccessPass'],
      })),
      counts: { admins: 1, phishingResistant: 0, resistantPct: 0 },
    },
    empty: { told: members(1, 0), counts: { admins: 0, phishingResistant: 0 } },
    untold: { told: admins(2, () => ({})), counts: { admins: 2, phishingResistant: null } },
  },
  'iam.admins.global_count': {
    met: [
      {
        told: [globalAdmin('a'), globalAdmin('b', null), globalAdmin('eligible', false), ...members(3, 0)],
        counts: { enabledMembers: 6, globalAdmins: 2 },
      },
      { told: many(4, (index) => globalAdmin(`a${index}`)), counts: { enabledMembers: 4, globalAdmins: 4 } },
    ],
    at_risk: [
      { told: [globalAdmin('a')], counts: { enabledMembers: 1, globalAdmins: 1 } },
      { told: many(8, (index) => globalAdmin(`a${index}`)), counts: { enabledMembers: 8, globalAdmins: 8 } },
    ],
    not_met: [
      { told: [said.user('anna', { roles: [] })], counts: { enabledMembers: 1, globalAdmins: 0 } },
      { told: many(9, (index) => globalAdmin(`a${index}`)), counts: { enabledMembers: 9, globalAdmins: 9 } },
    ],
    empty: { told: [said.guest('gus', { roles: [] })], counts: { enabledMembers: 0 } },
    untold: { told: members(3, 0), counts: { enabledMembers: 3, globalAdmins: null } },
  },
  'iam.accounts.inactive': {
    met: {
      told: [...accounts(said.user, 34, 1), said.guest('gus', { createdAt: ago(900 * dayMs) })],
      counts: { members: 34, inactive: 1, inactivePct: 3 },
    },
    at_risk: { told: accounts(said.user, 10, 1), counts: { members: 10, inactive: 1, inactivePct: 10 } },
    not_met: { told: accounts(said.user, 19, 2), counts: { members: 19, inactive: 2, inactivePct: 10.6 } },
    empty: { told: accounts(said.user, 0, 0), counts: { members: 0, inactive: 0 } },
    untold: {
      told: [said.user('anna', { createdAt: ago(90 * dayMs) })],
      counts: { members: 1, inactive: null },
    },
  },
  'iam.guests.inactive': {
    met: {
      told: [...accounts(said.guest, 10, 1), said.user('anna', { createdAt: ago(900 * dayMs) })],
      counts: { guests: 10, inactive: 1, inactivePct: 10 },
    },
    at_risk: { told: accounts(said.guest, 10, 3), counts: { guests: 10, inactive: 3, inactivePct: 30 } },
    not_met: { told: accounts(said.guest, 10, 4), counts: { guests: 10, inactive: 4, inactivePct: 40 } },
    empty: { told: members(2, 0), counts: { guests: 0, inactive: 0 } },
    untold: { told: [said.guest('gus')], counts: { guests: 1, inactive: null } },
  },
  'iam.leavers.activity': {
    // At 24 hours to the second it is not yet activity of somebody who left, nor is an attempt that failed, nor what happened before the window.
    met: {
      told: [
        ...leaver(20 * dayMs, 19 * dayMs, 25 * dayMs),
        happened.appUse(randomUUID(), 'leo', nowMs - dayMs, { Operation: 'UserLoginFailed' }),
      ],
      counts: { disabledAccounts: 1, eventsAfterDisable: 0 },
    },
    at_risk: [
      {
        told: leaver(20 * dayMs, 19 * dayMs - 1_000, ...many(4, () => 0)),
        counts: { disabledAccounts: 1, eventsAfterDisable: 5 },
      },
      // Whoever left long ago and acts is of the population.
      {
        told: leaver(700 * dayMs, 30 * dayMs, 30 * dayMs + 1_000),
        counts: { disabledAccounts: 1, eventsAfterDisable: 1 },
      },
      // Since when nobody said: at the latest since it was written down.
      {
        told: [
          tellAt(nowMs - 10 * dayMs, said.user('leo', { accountEnabled: false })),
          happened.fileEvent('FileAccessed', 'plan', 'leo', nowMs - 10 * dayMs + hourMs),
          happened.fileEvent('FileAccessed', 'plan', 'leo', nowMs - 2 * dayMs),
        ],
        counts: { disabledAccounts: 1, eventsAfterDisable: 1 },
      },
      // Deleted accounts are disabled ones.
      {
        told: [
          tellAt(nowMs - 12 * dayMs, said.user('leo')),
          tellAt(nowMs - 10 * dayMs, said.gone('user', 'leo')),
          happened.fileEvent('FileAccessed', 'plan', 'leo', nowMs - 11 * dayMs),
          happened.fileEvent('FileAccessed', 'plan', 'leo', nowMs - dayMs),
        ],
        counts: { disabledAccounts: 1, eventsAfterDisable: 1 },
      },
    ],
    not_met: {
      told: leaver(20 * dayMs, ...many(6, () => dayMs)),
      counts: { disabledAccounts: 1, eventsAfterDisable: 6 },
    },
    empty: [
      { told: leaver(366 * dayMs), counts: { disabledAccounts: 0, eventsAfterDisable: 0 } },
      // Somebody else has the name by now.
      {
        told: [...leaver(366 * dayMs, dayMs), said.user('leonie', { mail: 'leo@contoso.example' })],
        counts: { disabledAccounts: 0, eventsAfterDisable: 0 },
      },
    ],
  },
  'iam.risky_users.handled': {
    met: {
      told: [
        risky('fresh', 72 * hourMs),
        risky('handled', 90 * dayMs, { riskState: 'remediated' }),
        risky('medium', 90 * dayMs, { riskLevel: 'medium' }),
      ],
      counts: { riskyUsers: 1, overdue: 0 },
    },
    at_risk: {
      told: [risky('old', 72 * hourMs + 1), risky('taken over', null, { riskState: 'confirmedCompromised' })].map(
        (one, index) => ({ ...one, id: `user${index}` }),
      ),
      counts: { riskyUsers: 2, overdue: 2 },
    },
    not_met: {
      told: [risky('a', 90 * dayMs), risky('b', 90 * dayMs), risky('c', 90 * dayMs, { riskState: null })],
      counts: { riskyUsers: 3, overdue: 3 },
    },
    empty: { told: members(2, 0), counts: { riskyUsers: 0, overdue: 0 } },
  },
  'iam.groups.owned': {
    met: { told: ownedGroups(50, 1), counts: { groups: 50, owned: 49, ownedPct: 98 } },
    at_risk: { told: ownedGroups(10, 1), counts: { groups: 10, owned: 9, ownedPct: 90 } },
    not_met: { told: ownedGroups(20, 3), counts: { groups: 20, owned: 17, ownedPct: 85 } },
    empty: { told: ownedGroups(0, 0), counts: { groups: 0, owned: 0 } },
    untold: { told: [said.group('staff')], counts: { groups: 1, owned: null } },
  },
});

import * as input from '../../compliance/input-records.ts';
import { type Chooser, count, dayMs, daysAgo, nowMs, type Part, times } from './part.ts';

function createUser(choose: Chooser) {
  const isAdmin = choose.maybe(choose.between(0, 4) === 0);
  const userType = choose.pick(['member', 'member', 'member', 'guest', null]);
  return {
    accountEnabled: choose.maybe(true, 5),
    userType,
    isExternal: userType === null ? choose.pick([false, null]) : userType === 'guest',
    isAdmin,
    roles: choose.pick([null, null, isAdmin ? ['Global Administrator'] : []]),
    mfaRegistered: choose.maybe(true),
    methodsRegistered: choose.optional([['fido2'], ['fido2'], ['fido2'], ['sms']]),
    createdAt: choose.optional([daysAgo(99), daysAgo(99), daysAgo(9)]),
    lastSignInAt: choose.optional([...times(30).map(() => daysAgo(1)), daysAgo(91)]),
    riskLevel: choose.pick([null, 'none', 'low', 'high']),
    riskState: choose.pick([null, 'atRisk', 'remediated', 'dismissed', 'dismissed']),
    riskUpdatedAt: choose.optional([daysAgo(1), daysAgo(1), daysAgo(1), daysAgo(4)]),
  };
}
export type User = ReturnType<typeof createUser>;

const isEnabled = (one: User) => one.accountEnabled !== false;
const isMember = (one: User) => isEnabled(one) && one.userType !== 'guest';
const isTyped = (one: User) => one.accountEnabled !== null || one.userType !== null;
const mayBeGuest = (one: User) =>
  isEnabled(one) && (one.userType === 'guest' || (one.userType === null && one.isExternal === null));
const isOld = (one: User) => one.createdAt !== daysAgo(9);
const isActive = (one: User) => one.lastSignInAt === daysAgo(1);
const administers = (one: User) => one.isAdmin === true || (one.roles ?? []).length > 0;
const mayAdminister = (one: User) =>
  isEnabled(one) && (administers(one) || (one.isAdmin === null && one.roles === null));
const isRisky = (one: User) => one.riskLevel === 'high' && (one.riskState ?? 'atRisk') === 'atRisk';

/** Accounts, with exceptions of members without a second factor: in force, expired, dated ahead, withdrawn, or of another requirement. */
export function createAccounts(choose: Chooser): Part & { readonly users: readonly User[] } {
  const users = times(choose.size).map(() => createUser(choose));
  const isWithoutFactor = (one: User) => isMember(one) && (!isTyped(one) || !one.mfaRegistered);
  const { exception, isCovered } = createException(choose, 'iam.mfa.members', 'u');
  const covered = users.filter((one, index) => isCovered(index) && isWithoutFactor(one));
  const members = users.filter(isMember);
  const oldMembers = members.filter(isOld);
  const guests = users.filter((one) => mayBeGuest(one) && isOld(one));
  const admins = users.filter(mayAdminister);
  const risky = users.filter(isRisky);
  const isUnknownMember = (one: User) => !isTyped(one) || one.lastSignInAt === null;
  const mayBeGlobal = (one: User) => isEnabled(one) && one.roles === null && one.isAdmin !== false;
  const isUnknownGuest = (one: User) => one.userType !== 'guest' || one.lastSignInAt === null;
  return {
    users,
    written: { users: users.map((one, index) => input.user(`u${index}`, one)), exceptions: [exception] },
    counts: {
      'iam.mfa.members': {
        members: members.length,
        mfaRegistered: count(members, (one) => isTyped(one) && one.mfaRegistered === true),
        unknown: count(members, (one) => (!isTyped(one) || one.mfaRegistered === null) && !covered.includes(one)),
        excepted: covered.length,
      },
      'iam.mfa.admins': {
        admins: admins.length,
        mfaRegistered: count(admins, (one) => administers(one) && one.mfaRegistered === true),
        unknown: count(admins, (one) => !administers(one) || one.mfaRegistered === null),
      },
      'iam.admins.phishing_resistant': {
        admins: admins.length,
        phishingResistant: count(admins, (one) => administers(one) && one.methodsRegistered?.[0] === 'fido2'),
        unknown: count(admins, (one) => !administers(one) || one.methodsRegistered === null),
      },
      'iam.admins.global_count': {
        enabledMembers: count(users, (one) => isMember(one) || mayBeGlobal(one)),
        globalAdmins: count(users, (one) => isEnabled(one) && (one.roles ?? []).length > 0),
        unknown: count(users, mayBeGlobal),
      },
      'iam.accounts.inactive': {
        members: oldMembers.length,
        inactive: count(oldMembers, (one) => isUnknownMember(one) || !isActive(one)),
        unknown: count(oldMembers, isUnknownMember),
      },
      'iam.guests.inactive': {
        guests: guests.length,
        inactive: count(guests, (one) => isUnknownGuest(one) || !isActive(one)),
        unknown: count(guests, isUnknownGuest),
      },
      'iam.risky_users.handled': {
        riskyUsers: risky.length,
        overdue: count(risky, (one) => one.riskUpdatedAt !== daysAgo(1)),
        unknown: count(risky, (one) => one.riskUpdatedAt === null),
      },
    },
  };
}

/** An exception of some subjects of a requirement, and whether it covers the subject with a number. */
export function createException(choose: Chooser, key: string, prefix: string) {
  const excepted = choose.pick([0, 0, 1, 3, 60]);
  const isInForce = choose.between(0, 2) > 0;
  const ended = choose.pick([
    { validUntil: input.at(nowMs) },
    { validFrom: input.at(nowMs + 1) },
    { withdrawnAt: input.at(nowMs), withdrawnBy: 'chief' },
    { requirementKey: 'iam.mfa.admins.other' },
  ]);
  return {
    exception: input.exception(key, key, nowMs - 20 * dayMs, {
      subjectIds: ['nobody', ...times(excepted).map((index) => `${prefix}${index}`)],
      ...(isInForce ? {} : ended),
    }),
    isCovered: (index: number) => isInForce && index < excepted,
  };
}

import * as input from '../input-records.ts';
import { ago, type Chooser, count, guid, type Part, type Sent, send } from './part.ts';

const { dayMs, hourMs } = input;
const resistantMethods: readonly string[] = [
  'fido2SecurityKey',
  'windowsHelloForBusiness',
  'x509CertificateSingleFactor',
];

const createUser = (choose: Chooser, index: number) => ({
  id: choose.pick([guid('b', index), `00u${index}ABC`]),
  accountEnabled: choose.pick([true, true, true, false, undefined]),
  userType: choose.pick(['member', 'member', 'guest', undefined]),
  isExternal: choose.pick([false, false, true, undefined]),
  isAdmin: choose.maybe(),
  roles: choose.pick([
    undefined,
    [],
    ['Global Administrator'],
    ['User Administrator'],
    [{ name: 'Global Administrator', permanent: choose.maybe() }],
  ]),
  mfaRegistered: choose.maybe(),
  methodsRegistered: choose.pick([undefined, [], ['mobilePhone'], ['mobilePhone', choose.pick(resistantMethods)]]),
  employeeType: choose.pick([undefined, undefined, 'Employee', 'Service']),
  createdAgeMs: choose.pick([null, choose.near(30), choose.near(200)]),
  signedInAgeMs: choose.pick([null, choose.near(90), choose.near(2)]),
  renewedAgeMs: choose.pick([null, null, choose.near(90)]),
  isDeleted: choose.happens(10),
  // What is reported of its risk, each state at its time.
  risks: choose.pick([[], [9], [9, 4], [9, 4, 2], [2]]).map((day) => ({
    ageMs: day * dayMs,
    riskLevel: choose.pick(['high', 'high', 'medium']),
    riskState: choose.pick(['atRisk', 'atRisk', 'confirmedCompromised', 'remediated', undefined]),
    changedAgeMs: choose.pick([day * dayMs, Math.max(day * dayMs, choose.near(3, 9)), null]),
  })),
});
type User = ReturnType<typeof createUser>;

function sendUser({ id, createdAgeMs, signedInAgeMs, renewedAgeMs, isDeleted, risks, ...members }: User): Sent[] {
  const times = {
    createdAt: ago(createdAgeMs),
    lastSignInAt: ago(signedInAgeMs),
    lastNonInteractiveSignInAt: ago(renewedAgeMs),
  };
  const withRisk = ({ riskLevel, riskState, changedAgeMs }: User['risks'][number]) =>
    input.user(id, { ...members, ...times, riskLevel, riskState, riskUpdatedAt: ago(changedAgeMs) });
  return [
    ...send(100 * dayMs, input.user(id, { ...members, ...times })),
    ...risks.map((risk) => ({ ageMs: risk.ageMs, record: withRisk(risk) })),
    ...(isDeleted ? send(hourMs, input.deletedEntity('user', id)) : []),
  ];
}

const maySignIn = (one: User) => one.accountEnabled !== false;
const isGuest = (one: User) => one.userType === 'guest' || one.isExternal === true;
const isService = (one: User) => one.employeeType === 'Service';
const isMember = (one: User) => maySignIn(one) && !isGuest(one) && !isService(one);
/** Neither its type nor its state is reported. */
const isUntyped = (one: User) => one.accountEnabled === undefined && one.userType === undefined;
const mayBeGuest = (one: User) =>
  maySignIn(one) && (isGuest(one) || (one.userType === undefined && one.isExternal === undefined && !isService(one)));
const rolesOf = ({ roles }: User) =>
  roles?.map((role) => (typeof role === 'string' ? { name: role, permanent: undefined } : role));
const administers = (one: User) => one.isAdmin === true || (one.roles ?? []).length > 0;
const hasUnknownRoles = (one: User) => one.roles === undefined && one.isAdmin === undefined;
const hasReportedRoles = (one: User) => one.roles !== undefined || one.isAdmin === false;
const isGlobal = (one: User) =>
  rolesOf(one)?.some(({ name, permanent }) => name === 'Global Administrator' && permanent !== false) ?? false;
const isOld = ({ createdAgeMs }: User) => createdAgeMs === null || createdAgeMs > 30 * dayMs;
const lastSignInAgeMs = ({ signedInAgeMs, renewedAgeMs }: User) =>
  Math.min(signedInAgeMs ?? Number.POSITIVE_INFINITY, renewedAgeMs ?? Number.POSITIVE_INFINITY);
const isInactive = (one: User) => lastSignInAgeMs(one) > 90 * dayMs;
const hasNoSignIn = (one: User) => lastSignInAgeMs(one) === Number.POSITIVE_INFINITY;

const isHigh = ({ riskLevel, riskState }: User['risks'][number]) => riskLevel === 'high' && riskState !== 'remediated';
const isRisky = ({ risks }: User) => risks.length > 0 && isHigh(risks.at(-1) as User['risks'][number]);
/** Since when it has been at high risk without interruption, as far as is reported; null where it is not. */
function riskAgeMs({ risks }: User): number | null {
  const ended = risks.findLastIndex((one) => !isHigh(one));
  const ages = risks.slice(ended + 1).flatMap(({ changedAgeMs }) => changedAgeMs ?? []);
  return ages.length === 0 ? null : Math.max(...ages);
}

/** Accounts with their factors, roles, sign-ins and risks. */
export function createDirectory(choose: Chooser): Part {
  const all = choose.several([1, 10, 40], (index) => createUser(choose, index));
  const users = all.filter((one) => !one.isDeleted);
  const signing = users.filter(maySignIn);
  const members = users.filter(isMember);
  const oldMembers = members.filter(isOld);
  const guests = users.filter((one) => mayBeGuest(one) && isOld(one));
  const admins = users.filter((one) => maySignIn(one) && (administers(one) || hasUnknownRoles(one)));
  const risky = users.filter(isRisky);
  const resists = ({ methodsRegistered = [] }: User) => methodsRegistered.some((one) => resistantMethods.includes(one));
  const isUnknownMember = (one: User) => isUntyped(one) || hasNoSignIn(one);
  const isUnknownGuest = (one: User) => !isGuest(one) || hasNoSignIn(one);
  const isOverdue = (one: User) => (riskAgeMs(one) ?? Number.POSITIVE_INFINITY) > 3 * dayMs;
  return {
    sent: all.flatMap(sendUser),
    counts: {
      'iam.mfa.members': {
        members: members.length,
        mfaRegistered: count(members, (one) => !isUntyped(one) && one.mfaRegistered),
        unknown: count(members, (one) => isUntyped(one) || one.mfaRegistered === undefined),
      },
      'iam.mfa.admins': {
        admins: admins.length,
        mfaRegistered: count(admins, (one) => administers(one) && one.mfaRegistered),
        unknown: count(admins, (one) => !administers(one) || one.mfaRegistered === undefined),
      },
      'iam.admins.phishing_resistant': {
        admins: admins.length,
        phishingResistant: count(admins, (one) => administers(one) && resists(one)),
        unknown: count(admins, (one) => !administers(one) || one.methodsRegistered === undefined),
      },
      'iam.admins.global_count': {
        enabledMembers: count(signing, (one) => isMember(one) || !hasReportedRoles(one)),
        // Unknown where the roles of no account are reported.
        globalAdmins: signing.some(hasReportedRoles) || signing.length === 0 ? count(signing, isGlobal) : null,
        unknown: count(signing, (one) => !hasReportedRoles(one)),
      },
      'iam.accounts.inactive': {
        members: oldMembers.length,
        inactive: count(oldMembers, (one) => isUnknownMember(one) || isInactive(one)),
        unknown: count(oldMembers, isUnknownMember),
      },
      'iam.guests.inactive': {
        guests: guests.length,
        inactive: count(guests, (one) => isUnknownGuest(one) || isInactive(one)),
        unknown: count(guests, isUnknownGuest),
      },
      'iam.risky_users.handled': {
        riskyUsers: risky.length,
        overdue: count(risky, isOverdue),
        unknown: count(risky, (one) => riskAgeMs(one) === null),
      },
    },
  };
}

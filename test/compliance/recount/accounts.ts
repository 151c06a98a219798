import * as input from '../input-records.ts';
import { ago, type Chooser, count, guid, type Part, type Sent, send } from './part.ts';

const { dayMs } = input;
const freeSkus: readonly string[] = ['STREAM', 'FLOW_FREE'];

function createAccount(choose: Chooser, index: number) {
  // A sign-in name may be that of another account too.
  const sharedIndex = index > 0 && choose.happens(25) ? index - 1 : index;
  const isEnabled = choose.pick([true, true, true, false, undefined]);
  return {
    id: choose.pick([guid('b', index), `00u${index}ABC`, `10${index}`]),
    signInName: `p${sharedIndex}@contoso.example`,
    mail: `m${index}@contoso.example`,
    isEnabled,
    isDeleted: choose.happens(15),
    mfaRegistered: choose.optional(choose.happens(70)),
    hasCopilotLicense: choose.optional(choose.happens(70)),
    skus: choose.optional(
      choose.pick([[], ['SPE_E5'], ['SPE_E5', 'STREAM'], ['FLOW_FREE'], ['ENTERPRISEPACK', 'SPE_E5']]),
    ),
    disabledAgeMs: isEnabled === false ? choose.pick([null, choose.near(30), choose.near(5), choose.near(365)]) : null,
    // An account in use that became disabled, where its provider reports no time of it.
    turnedAgeMs: choose.pick([null, choose.near(30), choose.near(5), choose.near(200)]),
  };
}
export type Account = ReturnType<typeof createAccount>;

/** When the first state of every account arrived, and its deletion. */
const firstSeenAgeMs = 400 * dayMs;
const deletedAgeMs = 2.5 * dayMs;

export const createAccounts = (choose: Chooser): Account[] =>
  choose.several([2, 5, 15], (index) => createAccount(choose, index));

export const namesOf = ({ id, signInName, mail }: Account): string[] => [id, signInName, mail];

const isCalled = (account: Account, name: string) =>
  namesOf(account).some((one) => one.toLowerCase() === name.toLowerCase());

/** Whether an account in use has this name. */
export const isInUse = (users: readonly Account[], name: string | null | undefined): boolean =>
  name != null && users.some((one) => !one.isDeleted && one.isEnabled === true && isCalled(one, name));

export const anyName = (choose: Chooser, users: readonly Account[]): string =>
  choose.happens(15) ? 'stranger' : choose.inAnyCase(choose.pick(namesOf(choose.pick(users))));

const hasTurned = (one: Account) => one.isEnabled === false && one.disabledAgeMs === null && one.turnedAgeMs !== null;

function toRecord(one: Account, isEnabled: boolean | undefined) {
  return input.user(one.id, {
    userPrincipalName: one.signInName,
    mail: one.mail,
    accountEnabled: isEnabled,
    mfaRegistered: one.mfaRegistered,
    hasCopilotLicense: one.hasCopilotLicense,
    licenseSkus: one.skus,
    disabledAt: ago(one.disabledAgeMs),
  });
}

export const sendAccounts = (users: readonly Account[]): Sent[] =>
  users.flatMap((one) => [
    ...send(firstSeenAgeMs, toRecord(one, hasTurned(one) ? true : one.isEnabled)),
    ...(hasTurned(one) ? send(one.turnedAgeMs ?? 0, toRecord(one, false)) : []),
    ...(one.isDeleted ? send(deletedAgeMs, input.deletedEntity('user', one.id)) : []),
  ]);

/** How long an account has been disabled; null where it is not, Infinity where that began at an unknown time. */
export function disabledForMs(one: Account): number | null {
  if (one.isEnabled !== false) return null;
  return one.disabledAgeMs ?? one.turnedAgeMs ?? Number.POSITIVE_INFINITY;
}

/** How long an account has been out of use at the least: disabled or deleted, as far as that is known. */
export function outForMs(one: Account): number | null {
  const disabledMs = disabledForMs(one);
  if (disabledMs === null) return one.isDeleted ? deletedAgeMs : null;
  return Math.min(disabledMs, firstSeenAgeMs);
}

/** Paid licences of accounts, and those of accounts that have been disabled for more than 30 days. */
export function recountLicenses(users: readonly Account[]): Part['counts'] {
  const existing = users.filter((one) => !one.isDeleted);
  const paidOf = ({ skus }: Account) => (skus === undefined ? 1 : count(skus, (sku) => !freeSkus.includes(sku)));
  const sum = (some: readonly Account[]) => some.reduce((total, one) => total + paidOf(one), 0);
  const isIdle = (one: Account) => one.skus === undefined || (disabledForMs(one) ?? 0) > 30 * dayMs;
  return {
    'lic.disabled_users': {
      assigned: sum(existing),
      onDisabled: sum(existing.filter(isIdle)),
      unknown: count(existing, (one) => one.skus === undefined),
    },
  };
}

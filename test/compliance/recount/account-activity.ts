import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { type Account, anyName, namesOf, outForMs } from './accounts.ts';
import { type Chooser, count, nowMs, type Part, send } from './part.ts';

const { dayMs, hourMs } = input;

/** One event a day of each account: days of a tally are exact for two events. */
const createEvents = (choose: Chooser, users: readonly Account[]) =>
  users.flatMap((one) =>
    choose
      .shuffle([30, 29, 6, 5, 4, 1, 10])
      .slice(0, choose.pick([0, 2, 5]))
      .map((day) => ({
        name: choose.happens(10) ? anyName(choose, users) : choose.inAnyCase(choose.pick(namesOf(one))),
        ageMs: day * dayMs + choose.pick([0, 1_000, -1_000, hourMs, -hourMs]),
        isManaged: choose.pick([undefined, undefined, true, true, false]),
        device: choose.pick([undefined, 'laptop', 'laptop', 'phone', 'elsewhere']),
        isFailed: choose.happens(15),
      })),
  );
type Event = ReturnType<typeof createEvents>[number];

const managedDevices: Readonly<Record<string, boolean>> = { laptop: true, phone: false };
/** If an event does not report the state of its device, the inventory does. */
const isFromManaged = ({ isManaged, device }: Event): boolean | undefined =>
  isManaged ?? (device === undefined ? undefined : managedDevices[device]);

const isBy = (one: Account, event: Event) =>
  namesOf(one).some((name) => name.toLowerCase() === event.name.toLowerCase());

/** What accounts did, from which devices, and after they left. */
export function createAccountActivity(choose: Chooser, users: readonly Account[]): Part {
  const some = createEvents(choose, users);
  return {
    sent: [
      ...send(200 * dayMs, input.device('laptop', { isManaged: true }), input.device('phone', { isManaged: false })),
      ...some.flatMap(({ name, ageMs, isManaged, device, isFailed }) =>
        send(
          ageMs,
          events.fileEvent('FileAccessed', 'plan', 'anna', nowMs - ageMs, {
            UserId: name,
            ...(isManaged === undefined ? {} : { IsManagedDevice: isManaged }),
            ...(device === undefined ? {} : { DeviceId: choose.inAnyCase(device) }),
            ...(isFailed ? { ResultStatus: 'Failed' } : {}),
          }),
        ),
      ),
    ],
    counts: {
      'ai.copilot.governed_users': recountAssistantUsers(users, some),
      'iam.leavers.activity': recountLeavers(users, some),
      'dev.unmanaged_access': recountDevices(some),
    },
  };
}

/** What the events themselves report; the inventory of today is no evidence of then. */
function recountDevices(some: readonly Event[]) {
  const recent = some.filter(({ ageMs }) => ageMs <= 30 * dayMs);
  return {
    events: recent.length,
    unmanaged: count(recent, ({ isManaged }) => isManaged !== true),
    unknown: count(recent, ({ isManaged }) => isManaged === undefined),
  };
}

function recountAssistantUsers(users: readonly Account[], some: readonly Event[]) {
  const licensed = users.filter((one) => !one.isDeleted && one.hasCopilotLicense !== false && one.isEnabled !== false);
  const statesOf = (one: Account) =>
    some
      .filter((event) => event.ageMs <= 30 * dayMs && isBy(one, event))
      .map(isFromManaged)
      .filter((isManaged) => isManaged !== undefined);
  const isReported = (one: Account) =>
    one.hasCopilotLicense === true &&
    one.isEnabled === true &&
    one.mfaRegistered !== undefined &&
    (!one.mfaRegistered || statesOf(one).length > 0);
  const isGoverned = (one: Account) => {
    const states = statesOf(one);
    return one.mfaRegistered && 10 * states.filter((isManaged) => isManaged).length >= 9 * states.length;
  };
  return {
    licensedUsers: licensed.length,
    governed: count(licensed, (one) => isReported(one) && isGoverned(one)),
    unknown: count(licensed, (one) => !isReported(one)),
  };
}

function recountLeavers(users: readonly Account[], some: readonly Event[]) {
  // A name that an account in use has too shows nothing; of several that left, the last one had it.
  const leaverOf = (event: Event): Account | undefined => {
    const called = users.filter((one) => isBy(one, event));
    if (called.some((one) => outForMs(one) === null)) return undefined;
    return called.toSorted((one, other) => (outForMs(one) as number) - (outForMs(other) as number))[0];
  };
  // A failed attempt shows that the block works.
  const late = some.filter((event) => {
    const leaver = leaverOf(event);
    if (leaver === undefined || event.isFailed || event.ageMs > 30 * dayMs) return false;
    return event.ageMs < (outForMs(leaver) as number) - dayMs;
  });
  const active = new Set(late.map(leaverOf));
  const hasLeft = (one: Account) => outForMs(one) !== null;
  return {
    disabledAccounts: count(
      users,
      (one) => hasLeft(one) && ((outForMs(one) as number) <= 365 * dayMs || active.has(one)),
    ),
    eventsAfterDisable: late.length,
  };
}

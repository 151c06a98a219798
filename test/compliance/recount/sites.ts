import * as input from '../input-records.ts';
import { type Account, anyName, isInUse } from './accounts.ts';
import { type Chooser, count, type Part, type Sent, send } from './part.ts';

const { dayMs } = input;

const createSite = (choose: Chooser, users: readonly Account[], index: number) => ({
  id: `s${index}`,
  owner: choose.happens(50) ? anyName(choose, users) : undefined,
  admins: choose.pick([undefined, undefined, [], [anyName(choose, users)]]),
  isArchived: choose.maybe(),
  groupId: choose.happens(60) ? `${index}F000000-0000-4000-8000-0000000000AB` : null,
  groupOwner: choose.optional(anyName(choose, users), 30),
  isGroupDeleted: choose.happens(20),
  isDeleted: choose.happens(10),
});
type Site = ReturnType<typeof createSite>;

function sendSite(choose: Chooser, one: Site): Sent[] {
  const groupId = one.groupId === null ? undefined : choose.inAnyCase(one.groupId);
  const record = input.site(one.id, {
    ownerId: one.owner,
    admins: one.admins?.map((id) => ({ id })),
    isArchived: one.isArchived,
    groupId,
  });
  const owners = one.groupOwner === undefined ? undefined : [{ id: one.groupOwner }];
  return [
    ...send(10 * dayMs, record),
    ...(one.groupId === null ? [] : send(10 * dayMs, input.group(choose.inAnyCase(one.groupId), { owners }))),
    ...(one.groupId !== null && one.isGroupDeleted ? send(9 * dayMs, input.deletedEntity('group', one.groupId)) : []),
    ...(one.isDeleted ? send(9 * dayMs, input.deletedEntity('site', one.id)) : []),
  ];
}

/** Sites with owners of their own and those of their groups. */
export function createSites(choose: Chooser, users: readonly Account[]): Part {
  const sites = choose.several([1, 5], (index) => createSite(choose, users, index));
  const active = sites.filter((one) => !one.isDeleted && one.isArchived !== true);
  const hasGroup = (one: Site) => one.groupId !== null && !one.isGroupDeleted;
  // A deleted group has no owners.
  const isUnknown = (one: Site) =>
    one.owner === undefined &&
    one.admins === undefined &&
    (one.groupId === null || (hasGroup(one) && one.groupOwner === undefined));
  const isOwned = (one: Site) =>
    [one.owner, ...(one.admins ?? []), hasGroup(one) ? one.groupOwner : null].some((name) => isInUse(users, name));
  return {
    sent: sites.flatMap((one) => sendSite(choose, one)),
    counts: {
      'data.sites.owned': {
        sites: active.length,
        owned: count(active, (one) => !isUnknown(one) && isOwned(one)),
        unknown: count(active, isUnknown),
      },
    },
  };
}

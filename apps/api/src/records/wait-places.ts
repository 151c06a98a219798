/** A place of the requests that wait at once. */
export interface WaitPlace {
  /** The key and the feed. */
  readonly name: string;
  /** The organization, or a tenant without one. */
  readonly group: string;
  /** When the wait ends at the latest. */
  readonly endMs: number;
  /** It is another request's now. */
  isGivenUp: boolean;
  /** Ends the present wait. */
  end(): void;
}

/** A limited number of places, which groups share: where all are taken, the group with the most gives one up to a group with fewer. */
export interface WaitPlaces {
  find(name: string): WaitPlace | undefined;
  /** Null where all are taken, and no group has more than one more than this one. */
  take(place: Pick<WaitPlace, 'name' | 'group' | 'endMs'>): WaitPlace | null;
  release(place: WaitPlace): void;
}

export function createWaitPlaces(max: number): WaitPlaces {
  const taken = new Map<string, WaitPlace>();
  /** The oldest place first. */
  const groups = new Map<string, Set<WaitPlace>>();

  const release = (place: WaitPlace): void => {
    if (taken.get(place.name) !== place) return;
    taken.delete(place.name);
    const places = groups.get(place.group);
    places?.delete(place);
    if (places?.size === 0) groups.delete(place.group);
  };
  const giveUpOne = (group: string): boolean => {
    const [most] = [...groups.values()].toSorted((one, other) => other.size - one.size);
    const [oldest] = most ?? [];
    if (most === undefined || oldest === undefined || (groups.get(group)?.size ?? 0) + 1 >= most.size) return false;
    release(oldest);
    oldest.isGivenUp = true;
    oldest.end();
    return true;
  };
  return {
    find: (name) => taken.get(name),
    take(given) {
      const { name, group } = given;
      if (taken.size >= max && !giveUpOne(group)) return null;
      const place = { ...given, isGivenUp: false, end: () => {} };
      taken.set(name, place);
      groups.set(group, (groups.get(group) ?? new Set()).add(place));
      return place;
    },
    release,
  };
}

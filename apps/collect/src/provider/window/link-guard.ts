import { ProviderFailure } from '../provider-failure.ts';
import type { Window } from './window-position.ts';

/** Ends a run whose pages lead nowhere: one that was read before, or a link that expires whenever it is followed. */
export function createLinkGuard(url: string) {
  const { host } = new URL(url);
  const read = new Set<string>();
  let expired = 0;
  return {
    check({ next, fromMs, partToMs }: Window, pageMax: number): void {
      if (next === null) return;
      const page = `${fromMs} ${partToMs} ${pageMax} ${next}`;
      if (read.has(page)) throw new ProviderFailure('invalid', `${host} repeats a page of a listing`);
      read.add(page);
    },
    checkExpired({ next }: Window): void {
      expired += 1;
      if (next === null || expired > 3) throw new ProviderFailure('invalid', `${host} refuses its own next page`);
      read.clear();
    },
  };
}

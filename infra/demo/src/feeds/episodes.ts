import type { Chance } from '../chance.ts';
import type { Company } from '../company.ts';
import { type DetectorId, detectorOf, detectors } from './detectors.ts';
import { type Episode, episodeId, type Subject } from './episode.ts';
import { anySubject } from './subjects.ts';

/** Episodes of ordinary days: some stand out enough to be alerted, most do not. */
export function everydayEpisodes(company: Company, chance: Chance, endMs: number, count: number): Episode[] {
  return Array.from({ length: count }, () => {
    const openedMs = wholeHour(endMs - chance.between(2, 29 * 24) * hourMs);
    return lived(company, chance, anyEpisode(company, chance, openedMs), endMs);
  });
}

/** An episode that has just opened. */
export function anyEpisode(company: Company, chance: Chance, openedMs: number): Episode {
  const detector = chance.pick(Object.keys(detectors) as DetectorId[]);
  const { watches } = detectorOf(detector);
  const about = watches === null ? null : anySubject(company, watches, chance);
  const baseline = chance.between(2, 60) / 2;
  const ratio = chance.pick([2, 2.5, 3, 4, 5, 7, 11, 18, 40]);
  const current = Math.round(baseline * ratio) + 1;
  return {
    id: episodeId(company.plan.azureTenantId, detector, about, openedMs),
    detector,
    about,
    openedMs,
    lastSeenMs: openedMs + hourMs,
    resolvedMs: null,
    isDismissed: false,
    baseline,
    peakCurrent: current,
    current,
    ordinal: chance.between(1, 4),
    isPrivileged: isPrivileged(company, about),
  };
}

/** The same some hours later: quiet again for two windows, dismissed by somebody who knew why, or still going on. */
function lived(company: Company, chance: Chance, episode: Episode, endMs: number): Episode {
  const lastSeenMs = Math.min(endMs - hourMs, episode.lastSeenMs + chance.between(0, 30) * hourMs);
  const isDismissed = chance.is(0.2);
  const resolvedMs = lastSeenMs + (isDismissed ? chance.between(1, 20) : 48) * hourMs;
  const seen: Episode = { ...episode, lastSeenMs: Math.max(episode.openedMs + hourMs, lastSeenMs) };
  if (resolvedMs > endMs || (chance.is(0.15) && company.people.length > 20)) return seen;
  return { ...seen, current: Math.ceil(episode.peakCurrent / 2), resolvedMs, isDismissed };
}

/** Administrators, and agents that may read everything. */
export function isPrivileged({ admins, agents }: Company, about: Subject | null): boolean {
  return (
    admins.some(({ id }) => id === about?.id) ||
    agents.some(({ id, marks }) => id === about?.id && marks.includes('wide'))
  );
}

export function wholeHour(atMs: number): number {
  return atMs - (atMs % hourMs);
}

const hourMs = 3_600_000;

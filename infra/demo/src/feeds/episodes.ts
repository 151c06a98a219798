import type { Company } from '../company.ts';
import type { Random } from '../random.ts';
import { type DetectorId, detectors, getDetector } from './detectors.ts';
import { deriveEpisodeId, type Episode, type Subject } from './episode.ts';
import { chooseSubject } from './subjects.ts';

/** Routine episodes: some score high enough to be alerted, most do not. */
export function createRoutineEpisodes(company: Company, random: Random, endMs: number, count: number): Episode[] {
  return Array.from({ length: count }, () => {
    const openedMs = truncateToHour(endMs - random.between(2, 29 * 24) * hourMs);
    return resolveEpisode(company, random, chooseEpisode(company, random, openedMs), endMs);
  });
}

/** An episode that has just opened. */
export function chooseEpisode(company: Company, random: Random, openedMs: number): Episode {
  const detector = random.pick(Object.keys(detectors) as DetectorId[]);
  const { watches } = getDetector(detector);
  const about = watches === null ? null : chooseSubject(company, watches, random);
  const baseline = random.between(2, 60) / 2;
  const ratio = random.pick([2, 2.5, 3, 4, 5, 7, 11, 18, 40]);
  const current = Math.round(baseline * ratio) + 1;
  return {
    id: deriveEpisodeId(company.plan.azureTenantId, detector, about, openedMs),
    detector,
    subject: about,
    openedMs,
    lastSeenMs: openedMs + hourMs,
    resolvedMs: null,
    isDismissed: false,
    baseline,
    peakCurrent: current,
    current,
    ordinal: random.between(1, 4),
    isPrivileged: isPrivileged(company, about),
  };
}

/** The episode some hours later: resolved after two quiet windows, dismissed by an administrator, or still open. */
function resolveEpisode(company: Company, random: Random, episode: Episode, endMs: number): Episode {
  const lastSeenMs = Math.min(endMs - hourMs, episode.lastSeenMs + random.between(0, 30) * hourMs);
  const isDismissed = random.bool(0.2);
  const resolvedMs = lastSeenMs + (isDismissed ? random.between(1, 20) : 48) * hourMs;
  const seen: Episode = { ...episode, lastSeenMs: Math.max(episode.openedMs + hourMs, lastSeenMs) };
  if (resolvedMs > endMs || (random.bool(0.15) && company.employees.length > 20)) return seen;
  return { ...seen, current: Math.ceil(episode.peakCurrent / 2), resolvedMs, isDismissed };
}

/** Administrators, and agents that may read everything. */
export function isPrivileged({ admins, agents }: Company, about: Subject | null): boolean {
  return (
    admins.some(({ id }) => id === about?.id) ||
    agents.some(({ id, marks }) => id === about?.id && marks.includes('wide'))
  );
}

export function truncateToHour(atMs: number): number {
  return atMs - (atMs % hourMs);
}

const hourMs = 3_600_000;

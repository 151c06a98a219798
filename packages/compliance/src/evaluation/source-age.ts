import type { MeasuredRequirement } from '../catalogue/requirement.ts';
import type { Facts } from './facts.ts';

/** Sources inside this service, which are never stale. */
const ownSources: ReadonlySet<string> = new Set(['tenant', 'attestations', 'snapshots']);

const hourMs = 3_600_000;

/** Why a requirement's sources are unusable, or null. */
export function checkSources(
  { sources, rule }: MeasuredRequirement,
  facts: Facts,
): 'source_missing' | 'source_stale' | null {
  const stamps = sources.filter((name) => !ownSources.has(name)).map((name) => findNewestStamp(name, facts));
  if (stamps.includes(null)) return 'source_missing';
  const { maxSourceAgeHours } = rule;
  if (maxSourceAgeHours === null) return null;
  return stamps.some((stamp) => facts.nowMs - (stamp ?? 0) > maxSourceAgeHours * hourMs) ? 'source_stale' : null;
}

/** The newest stamp of the oldest of a requirement's sources. */
export function findOldestSource({ sources }: MeasuredRequirement, facts: Facts): number | null {
  const stamps = sources.map((name) => findNewestStamp(name, facts)).filter((stamp) => stamp !== null);
  return stamps.length > 0 ? Math.min(...stamps) : null;
}

/** A complete import without new rows counts like a row. */
function findNewestStamp(name: string, { sources }: Facts): number | null {
  const { newestMs = null, lastCompleteImportMs = null } = sources[name] ?? {};
  if (newestMs === null || lastCompleteImportMs === null) return newestMs ?? lastCompleteImportMs;
  return Math.max(newestMs, lastCompleteImportMs);
}

import type { MeasuredRequirement } from './catalogue/requirement.ts';
import type { Facts } from './facts.ts';

/** Told by this service itself, so never old. */
const ownSources: ReadonlySet<string> = new Set(['tenant', 'attestations', 'snapshots']);

const hourMs = 3_600_000;

/** Why a requirement's sources cannot be relied on, or null. */
export function sourceFault(
  { sources, rule }: MeasuredRequirement,
  facts: Facts,
): 'source_missing' | 'source_stale' | null {
  const stamps = sources.filter((name) => !ownSources.has(name)).map((name) => stampOf(name, facts));
  if (stamps.includes(null)) return 'source_missing';
  const { maxSourceAgeHours } = rule;
  if (maxSourceAgeHours === null) return null;
  return stamps.some((stamp) => facts.nowMs - (stamp ?? 0) > maxSourceAgeHours * hourMs) ? 'source_stale' : null;
}

/** How old the oldest of a requirement's sources is: its newest stamp. */
export function dataAsOf({ sources }: MeasuredRequirement, facts: Facts): number | null {
  const stamps = sources.map((name) => stampOf(name, facts)).filter((stamp) => stamp !== null);
  return stamps.length > 0 ? Math.min(...stamps) : null;
}

/** A complete import that brought nothing new is as good as a row. */
function stampOf(name: string, { sources }: Facts): number | null {
  const { newestMs = null, lastCompleteImportMs = null } = sources[name] ?? {};
  if (newestMs === null || lastCompleteImportMs === null) return newestMs ?? lastCompleteImportMs;
  return Math.max(newestMs, lastCompleteImportMs);
}

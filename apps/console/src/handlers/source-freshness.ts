import { requirementCatalogue } from '@tenantscope/compliance';
import { type FeedName, hourMs, isSourceName, sources } from '@tenantscope/contract';
import type { SourceState } from '@tenantscope/store/console';
import type { Source } from '../../api/feeds.ts';

/** After how many hours without a row the strictest requirement that reads a source counts as without data. */
export const silentAfterHours: ReadonlyMap<string, number> = readLimits();

function readLimits(): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const requirement of requirementCatalogue) {
    const hours = 'rule' in requirement ? requirement.rule.maxSourceAgeHours : null;
    if (hours === null) continue;
    for (const source of requirement.sources)
      limits.set(source, Math.min(limits.get(source) ?? Number.POSITIVE_INFINITY, hours));
  }
  return limits;
}

/** The feed of a source or of a part of it; null: a source that this version does not declare. */
export function findFeed(source: string): FeedName | null {
  const [name = ''] = source.split('/');
  return isSourceName(name) ? sources[name].feed : null;
}

/** Applies the limits of the requirements, so that this state and their status never contradict each other. */
export function assessSource(source: SourceState, nowMs: number): Source {
  const [name = ''] = source.source.split('/');
  const heardAt =
    [source.importedAt, source.lastDiscoveredAt]
      .filter((at) => at !== null)
      .sort()
      .at(-1) ?? null;
  // A requirement reads the log as a whole: a part of it may be quiet for any time.
  const limit = (source.source === name ? silentAfterHours.get(name) : undefined) ?? Number.POSITIVE_INFINITY;
  return {
    ...source,
    feed: findFeed(source.source),
    state: heardAt === null ? 'missing' : assessAge((nowMs - Date.parse(heardAt)) / hourMs, limit),
    heardAt,
  };
}

function assessAge(hours: number, limit: number): 'heard' | 'quiet' | 'silent' {
  if (hours > limit) return 'silent';
  return hours > 1 ? 'quiet' : 'heard';
}

import type { MeasuredRequirement } from '../catalogue/requirement.ts';
import type { Facts, SourceState } from './facts.ts';

/** Sources inside this service, which are never stale. */
const ownSources: ReadonlySet<string> = new Set(['tenant', 'attestations', 'snapshots']);

/** Read models whose rows are events: what a source missed in a period cannot be seen in its present state. */
const eventSources: ReadonlySet<string> = new Set([
  'logs',
  'detections',
  'security_alerts',
  'notifications',
  'actions',
  'policy_scans',
]);

/** What a rule needs data from: of the states by which it may arrive, those that are known. */
export interface NeededSource {
  readonly hasEvents: boolean;
  readonly states: readonly SourceState[];
}

/** The sources that a rule needs: feeds of the log by their names, read models with all collectors that report them. */
export function listNeededSources({ sources, feeds, rule }: MeasuredRequirement, facts: Facts): NeededSource[] {
  return sources
    .filter((name) => !ownSources.has(name))
    .flatMap((name): NeededSource[] => {
      const hasEvents = eventSources.has(name);
      // A rule that measures ages counts the collectors itself, disabled ones and ones that never ended included.
      if (rule.maxSourceAgeHours === null) return [{ hasEvents, states: findStates([name], facts) }];
      if (name !== 'logs' || feeds === undefined)
        return [{ hasEvents, states: listReadModelStates(name, facts.sources) }];
      const connected = listProviders(facts);
      const routes = Object.entries(feeds).flatMap(([provider, needed]) => (connected.has(provider) ? needed : []));
      if (routes.length === 0) return [{ hasEvents, states: [] }];
      return routes.map((names) => ({ hasEvents, states: findStates(names, facts) }));
    });
}

const findStates = (names: readonly string[], { sources }: Facts): SourceState[] =>
  names.flatMap((name) => sources[name] ?? []);

/**
 * A read model itself and the collectors that report a part of it, such as `agents/entra`. Once any of these reports, the rows of the read model
 * say nothing about a single collector; they count for collectors that report no time.
 */
export function listReadModelStates<State extends SourceState>(
  name: string,
  sources: Readonly<Record<string, State | undefined>>,
): State[] {
  const whole = sources[name];
  const parts = Object.entries(sources).flatMap(([source, state]) =>
    state && source.startsWith(`${name}/`) && isReported(state) ? [state] : [],
  );
  if (parts.length === 0) return whole ? [whole] : [];
  const ofParts = parts.map((part) => ({ ...part, newestMs: part.newestMs ?? whole?.newestMs ?? null }));
  return whole && isReported(whole) ? [whole, ...ofParts] : ofParts;
}

const isReported = ({ enabled, lastCompleteImportMs }: SourceState): boolean =>
  enabled !== null || lastCompleteImportMs !== null;

/** The providers whose log a tenant receives or should receive: a feed that is not licensed names none. */
function listProviders({ sources }: Facts): ReadonlySet<string> {
  return new Set(
    Object.entries(sources).flatMap(([name, state]) =>
      state && state.licensed !== false && name.startsWith('logs/') ? [findProvider(name.slice('logs/'.length))] : [],
    ),
  );
}

/** Google's feeds are its applications, all in lower case; Microsoft has too many categories and tables to list. */
function findProvider(feed: string): string {
  if (feed === 'SystemLog') return 'okta';
  return /^[a-z0-9_]+$/.test(feed) ? 'google' : 'microsoft';
}

import { frameworkAliases, frameworkCatalogue } from '../catalogue/framework.ts';
import { isNewer } from '../evaluation/version.ts';

/** A tenant's declaration whether a framework applies to it. */
export interface FrameworkSelection {
  /** Key or alias. */
  readonly framework: string;
  readonly selected: boolean;
  readonly changedAtMs: number;
  readonly version: number;
  /** Decides between equal versions. */
  readonly digest: string;
}

/** The newest selection of each framework, by its key. Selections of unknown frameworks are left out. */
export function newestSelections(selections: readonly FrameworkSelection[]): ReadonlyMap<string, FrameworkSelection> {
  const keys = new Set(frameworkCatalogue.map(({ key }) => key));
  const newest = new Map<string, FrameworkSelection>();
  for (const selection of selections) {
    const key = frameworkAliases[selection.framework] ?? selection.framework;
    const before = newest.get(key);
    if (keys.has(key) && (!before || isNewer(selection, before))) newest.set(key, selection);
  }
  return newest;
}

import { type Axis, type List, operations } from '@tenantscope/contract';
import { usageError } from '../../command-error.ts';

/** A list whose rows appear in order, so that a cursor misses none. */
export interface PolledList {
  readonly path: string;
  /** Name of the parameter for the start of the window. */
  readonly from: string;
  readonly sort: string;
  readonly filters: readonly string[];
  /** Names of the schemas that rows can be in. */
  readonly views: readonly string[];
}

/** The lists that can be polled, by the last segment of their path. */
const polledLists: Readonly<Record<string, PolledList>> = Object.fromEntries(
  operations.flatMap((operation) => {
    if (operation.kind !== 'list') return [];
    const { path, windows, sorts, filters, parameters } = operation as List;
    const [axis, window] = Object.entries<Axis>(windows).find(([, { clock }]) => clock === 'write') ?? [];
    const sort = sorts.find((name) => name === `${axis}Asc`);
    const views = parameters.view?.kind === 'choice' ? parameters.view.allowed : [];
    if (window === undefined || sort === undefined) return [];
    return [[path.slice(1), { path, from: window.from, sort, filters: Object.keys(filters), views }] as const];
  }),
);

/** Throws a usage error that names the lists. */
export function findPolledList(name: string): PolledList {
  const found = Object.hasOwn(polledLists, name) ? polledLists[name] : undefined;
  if (found === undefined)
    throw usageError(`there is no list ${JSON.stringify(name)}: use one of ${Object.keys(polledLists).join(', ')}`);
  return found;
}

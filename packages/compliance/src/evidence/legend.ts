import { evidenceLegend } from '../catalogue/evidence.ts';

export type LegendLine = {
  readonly id: string;
  readonly name: string;
  readonly namePl: string;
  readonly reference: string;
};

const frameworkOf: ReadonlyMap<string, string> = new Map(evidenceLegend.map(({ id, framework }) => [id, framework]));

/** Those of the ids that are articles of the framework, in their order; all of them when none is asked for. */
export function idsOfFramework(ids: readonly string[], framework: string | null): readonly string[] {
  return framework === null ? ids : ids.filter((id) => frameworkOf.get(id) === framework);
}

/** What stands behind the ids, in the catalogue's order, once each. */
export function legendOf(ids: Iterable<string>): LegendLine[] {
  const used = new Set(ids);
  return evidenceLegend
    .filter(({ id }) => used.has(id))
    .map(({ id, name, namePl, reference }) => ({ id, name, namePl, reference }));
}

import { evidenceLegend } from '../catalogue/evidence.ts';

export type LegendLine = {
  readonly id: string;
  readonly name: string;
  readonly namePl: string;
  readonly reference: string;
};

const frameworkByEntry: ReadonlyMap<string, string> = new Map(
  evidenceLegend.map(({ id, framework }) => [id, framework]),
);

/** Keeps the ids that are articles of the framework, in their order; all ids without a framework. */
export function filterByFramework(ids: readonly string[], framework: string | null): readonly string[] {
  return framework === null ? ids : ids.filter((id) => frameworkByEntry.get(id) === framework);
}

/** The legend entries of the ids, in the catalogue's order, each once. */
export function listLegend(ids: Iterable<string>): LegendLine[] {
  const used = new Set(ids);
  return evidenceLegend
    .filter(({ id }) => used.has(id))
    .map(({ id, name, namePl, reference }) => ({ id, name, namePl, reference }));
}

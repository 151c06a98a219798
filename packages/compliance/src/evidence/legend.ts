import { articleWeights, type Coverage } from '../catalogue/article-weight.ts';
import { evidenceLegend } from '../catalogue/evidence.ts';

export type LegendLine = {
  readonly id: string;
  readonly name: string;
  readonly namePl: string;
  readonly reference: string;
  readonly coverage: Coverage;
  readonly coverageNote: string;
  readonly coverageNotePl: string;
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
    .map(({ id, name, namePl, reference }) => ({ id, name, namePl, reference, ...describeCoverage(id) }));
}

/** By the catalogue, whichever requirements apply to a tenant. Every entry of the legend is an article. */
function describeCoverage(id: string): Pick<LegendLine, 'coverage' | 'coverageNote' | 'coverageNotePl'> {
  const weight = articleWeights.get(id);
  if (weight === undefined) throw new TypeError(`the legend has no article ${id}`);
  return {
    coverage: weight.main.length > 0 ? 'main' : 'indicator',
    coverageNote: weight.why,
    coverageNotePl: weight.whyPl,
  };
}

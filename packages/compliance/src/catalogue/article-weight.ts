import { z } from 'zod';
import file from '../../data/article-weights.json' with { type: 'json' };

const articleWeight = z.strictObject({
  /** Id of an article in frameworks.json. */
  id: z.string(),
  /** Requirements whose result shows whether the core of the duty is fulfilled; the others that cite it are indicators. */
  main: z.array(z.string()),
  /** One sentence: what is measured or attested, and what is not. */
  why: z.string(),
  whyPl: z.string(),
});

export type ArticleWeight = z.infer<typeof articleWeight>;

/** What the status of an article rests on: a main requirement, or indicators alone. */
export type Coverage = 'main' | 'indicator';

/** The weight of the requirements of every article, by the id of the article, in the order of the frameworks. */
export const articleWeights: ReadonlyMap<string, ArticleWeight> = new Map(
  z
    .strictObject({ articles: z.array(articleWeight) })
    .parse(file)
    .articles.map((weight) => [weight.id, weight] as const),
);

/** The members of an evaluated requirement that the coverage depends on. */
export interface RatedRequirement {
  readonly key: string;
  readonly status: string;
  readonly reason: string | null;
}

/** How much a requirement shows about an article that it cites. */
export const readWeight = (articleId: string, requirementKey: string): Coverage =>
  articleWeights.get(articleId)?.main.includes(requirementKey) ? 'main' : 'indicator';

/**
 * The coverage of an article by the requirements that cite it and apply: `main` if one of them is a main requirement.
 * A requirement that is met because there was nothing to measure shows nothing about the duty and covers nothing. Null where
 * no other requirement is left.
 */
export function determineCoverage(articleId: string, applicable: readonly RatedRequirement[]): Coverage | null {
  const covering = applicable.filter((one) => !isMetWithoutPopulation(one));
  if (covering.length === 0) return null;
  return covering.some(({ key }) => readWeight(articleId, key) === 'main') ? 'main' : 'indicator';
}

/** Whether a requirement is met only because there was nothing to measure. */
export const isMetWithoutPopulation = ({ status, reason }: Omit<RatedRequirement, 'key'>): boolean =>
  status === 'met' && reason === 'empty_population';

/** Whether a requirement is met only because subjects that fail or are unknown are excepted. */
export const isMetWithExceptions = ({ status, reason }: Omit<RatedRequirement, 'key'>): boolean =>
  status === 'met' && reason === 'excepted';

import { type Article, type Framework, frameworkCatalogue } from './framework.ts';
import { type Requirement, requirementCatalogue } from './requirement.ts';

export interface Citation {
  readonly framework: Framework;
  readonly article: Article;
}

/** Articles by their id, which is unique over all frameworks. */
export const citations: ReadonlyMap<string, Citation> = new Map(
  frameworkCatalogue.flatMap((framework) =>
    framework.articles.map((article) => [article.id, { framework, article }] as const),
  ),
);

/** Requirements that cite an article, in the order of the catalogue. */
export const requirementsByArticle: ReadonlyMap<string, readonly Requirement[]> = Map.groupBy(
  requirementCatalogue.flatMap((requirement) => requirement.articles.map((id) => ({ id, requirement }))),
  ({ id }) => id,
)
  .entries()
  .reduce(
    (all, [id, cited]) =>
      all.set(
        id,
        cited.map(({ requirement }) => requirement),
      ),
    new Map<string, Requirement[]>(),
  );

/** Requirements cited by any article of a framework, each once, in the order of the catalogue. */
export function listCitedRequirements(framework: Framework): readonly Requirement[] {
  const own = new Set(framework.articles.map(({ id }) => id));
  return requirementCatalogue.filter(({ articles }) => articles.some((id) => own.has(id)));
}

import { describe, expect, it } from 'vitest';
import weightsFile from '../data/article-weights.json' with { type: 'json' };
import {
  articleWeights,
  citations,
  determineCoverage,
  type RatedRequirement,
  requirementsByArticle,
} from '../src/index.ts';

const weights = [...articleWeights.values()];
const evaluated = (keys: readonly string[]) => keys.map((key) => ({ key, status: 'at_risk', reason: 'threshold' }));
const listCitingKeys = (id: string) => (requirementsByArticle.get(id) ?? []).map(({ key }) => key);

describe('the weights of articles', () => {
  it('have one entry for each article, in the order of the frameworks', () => {
    expect(weightsFile.articles.map(({ id }) => id)).toEqual([...citations.keys()]);
  });

  it('name as main only requirements that cite the article, each once, in the order of the catalogue', () => {
    for (const { id, main } of weights)
      expect(main, id).toEqual(listCitingKeys(id).filter((key) => main.includes(key)));
  });

  it('have 118 main mappings and 744 indicators, and 152 articles without a main requirement', () => {
    const mappings = weights.reduce((sum, { id }) => sum + listCitingKeys(id).length, 0);
    const main = weights.reduce((sum, weight) => sum + weight.main.length, 0);
    expect({
      main,
      indicators: mappings - main,
      without: weights.filter((one) => one.main.length === 0).length,
    }).toEqual({ main: 118, indicators: 744, without: 152 });
  });

  it('give their reason in one sentence of each language', () => {
    for (const { id, why, whyPl } of weights) {
      expect(why, id).toMatch(/^[A-Z][^.]+\.$/);
      expect(whyPl.replaceAll('art. ', 'art '), id).toMatch(/^[A-Z][^.]+\.$/);
      expect(whyPl, id).not.toBe(why);
    }
  });

  it('name what is missing where an article has no main requirement', () => {
    const silent = weights.filter(
      ({ main, why, whyPl }) =>
        main.length === 0 &&
        !(/\b(not (measured|attested)|not part of it)\./.test(why) && /nie (mierzy|jest|są|obejmuje)/.test(whyPl)),
    );
    expect(silent.map(({ id }) => id)).toEqual([]);
  });
});

describe('the coverage of an article', () => {
  const article = 'NIS2-21(2)(j)';
  const [members, phishingResistant] = evaluated(['iam.mfa.members', 'iam.admins.phishing_resistant']) as [
    RatedRequirement,
    RatedRequirement,
  ];

  it('is main if one main requirement applies', () => {
    expect(determineCoverage(article, [phishingResistant, members])).toBe('main');
  });

  it('is indicator if only indicators apply', () => {
    expect(determineCoverage(article, [phishingResistant])).toBe('indicator');
  });

  it('is indicator if a requirement is main for another article only', () => {
    expect(determineCoverage('GDPR-32(1)(b)', [members])).toBe('indicator');
  });

  it('is null if no requirement applies', () => {
    expect(determineCoverage(article, [])).toBeNull();
  });

  it('is indicator if the main requirement is met because there was nothing to measure', () => {
    const empty = { ...members, status: 'met', reason: 'empty_population' };
    expect(determineCoverage(article, [empty, phishingResistant])).toBe('indicator');
    expect(determineCoverage(article, [empty])).toBeNull();
    expect(determineCoverage(article, [{ ...empty, status: 'not_met' }])).toBe('main');
    expect(determineCoverage(article, [{ ...empty, reason: 'threshold' }])).toBe('main');
  });

  it('is indicator for an article without a main requirement, whatever applies', () => {
    for (const { id } of weights.filter(({ main }) => main.length === 0))
      expect(determineCoverage(id, evaluated(listCitingKeys(id))), id).toBe('indicator');
  });

  it('is main for an article with a main requirement when all apply, and indicator without it', () => {
    for (const { id, main } of weights.filter((one) => one.main.length > 0)) {
      const cited = evaluated(listCitingKeys(id));
      const indicators = cited.filter(({ key }) => !main.includes(key));
      expect(determineCoverage(id, cited), id).toBe('main');
      expect(determineCoverage(id, indicators), id).toBe(indicators.length === 0 ? null : 'indicator');
    }
  });
});

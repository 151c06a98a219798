import { operations, parseInput } from '@tenantscope/contract';
import { describe, expect, it } from 'vitest';
import { parseRatio } from '../src/evaluation/ratio.ts';
import {
  citations,
  evidenceLegend,
  evidenceSections,
  frameworkAliases,
  frameworkCatalogue,
  listCitedRequirements,
  readinessDimensions,
  reportTemplates,
  requirementCatalogue,
  requirementsByArticle,
  retentionFrameworks,
} from '../src/index.ts';

const measured = requirementCatalogue.filter((requirement) => requirement.kind === 'measured');
const keys = requirementCatalogue.map(({ key }) => key);
const frameworkKeys = frameworkCatalogue.map(({ key }) => key);
const sectionKeys = evidenceSections.map(({ key }) => key);
const distinct = (names: readonly string[]) => expect(new Set(names).size).toBe(names.length);

describe('the catalogue', () => {
  it('has 11 frameworks, 251 articles, 108 requirements, 19 sections, 71 legend entries, 13 templates and 9 dimensions', () => {
    expect({
      frameworks: frameworkCatalogue.length,
      articles: citations.size,
      measured: measured.length,
      attested: requirementCatalogue.length - measured.length,
      sections: evidenceSections.length,
      legend: evidenceLegend.length,
      templates: reportTemplates.length,
      dimensions: readinessDimensions.length,
    }).toEqual({
      frameworks: 11,
      articles: 251,
      measured: 78,
      attested: 30,
      sections: 19,
      legend: 71,
      templates: 13,
      dimensions: 9,
    });
  });

  it('uses every key once', () => {
    distinct(keys);
    distinct([...frameworkKeys, ...Object.keys(frameworkAliases)]);
    distinct(frameworkCatalogue.flatMap(({ articles }) => articles.map(({ id }) => id)));
    distinct(sectionKeys);
    distinct(evidenceLegend.map(({ id }) => id));
    distinct(reportTemplates.map(({ id }) => id));
    for (const { articles } of requirementCatalogue) distinct(articles);
  });

  it('cites existing articles only, and every article', () => {
    for (const { key, articles } of requirementCatalogue)
      expect(
        articles.filter((id) => !citations.has(id)),
        key,
      ).toEqual([]);
    expect([...citations.keys()].filter((id) => !requirementsByArticle.has(id))).toEqual([]);
  });

  it('counts a requirement once in a framework, however many of its articles cite it', () => {
    for (const framework of frameworkCatalogue) {
      const cited = listCitedRequirements(framework).map(({ key }) => key);
      distinct(cited);
      const byArticles = framework.articles.flatMap(({ id }) => requirementsByArticle.get(id)?.map(({ key }) => key));
      expect(new Set(cited), framework.key).toEqual(new Set(byArticles));
    }
  });

  it('declares every metric that a rule names', () => {
    for (const { key, rule, metricsJson, notApplicable } of measured) {
      const named = [rule.primaryMetric, ...rule.guards.flatMap((guard) => [guard.metric, guard.and?.metric])];
      if (rule.population !== undefined) named.push(rule.population);
      if (notApplicable?.kind === 'metric') named.push(notApplicable.metric);
      if (rule.unit === 'percent') {
        const { numerator, denominator } = parseRatio(rule.expression);
        named.push(...[numerator, denominator].flatMap(({ plus, minus }) => [...plus, ...minus]));
      } else expect(rule.population, key).toBeDefined();
      expect(
        named.filter((name) => name !== undefined && !Object.hasOwn(metricsJson, name)),
        key,
      ).toEqual([]);
    }
  });

  it('has ordered thresholds, with whole numbers for percentages', () => {
    for (const { key, rule } of measured) {
      if (rule.direction === 'range') {
        const [low, high] = rule.met;
        const [lowest, highest] = rule.atRisk ?? rule.met;
        expect(lowest <= low && low <= high && high <= highest, key).toBe(true);
        continue;
      }
      const { met, atRisk } = rule;
      if (atRisk !== null) expect(rule.direction === 'higher' ? atRisk <= met : atRisk >= met, key).toBe(true);
      if (rule.unit === 'percent') expect([met, atRisk ?? 0].every(Number.isInteger), key).toBe(true);
    }
  });

  it('names only existing requirements, sections and frameworks', () => {
    for (const { key, evidenceSections: sections, notApplicable } of requirementCatalogue) {
      expect(
        sections.filter((section) => !sectionKeys.includes(section)),
        key,
      ).toEqual([]);
      if (notApplicable?.kind === 'tenantFact' && notApplicable.attested !== undefined)
        expect(requirementCatalogue.find(({ key }) => key === notApplicable.attested)?.kind).toBe('attested');
    }
    const legend = evidenceLegend.map(({ id }) => id);
    for (const { key, frameworks } of evidenceSections)
      expect(
        frameworks.filter((id) => !legend.includes(id)),
        key,
      ).toEqual([]);
    expect(retentionFrameworks.filter((id) => !legend.includes(id))).toEqual([]);
    expect(evidenceLegend.filter(({ framework }) => !frameworkKeys.includes(framework))).toEqual([]);
    for (const { requirements } of readinessDimensions)
      expect(requirements.filter(({ key }) => !keys.includes(key))).toEqual([]);
    for (const { frameworks } of reportTemplates)
      expect(frameworks.filter((key) => !frameworkKeys.includes(key))).toEqual([]);
  });

  it('has every text in both languages', () => {
    const pairs = [
      ...requirementCatalogue.flatMap(({ title, titlePl, whatIsMeasured, whatIsMeasuredPl }) => [
        [title, titlePl],
        [whatIsMeasured, whatIsMeasuredPl],
      ]),
      ...frameworkCatalogue.flatMap(({ name, namePl, reference, referencePl, articles }) => [
        [name, namePl],
        [reference, referencePl],
        ...articles.map(({ title, titlePl }) => [title, titlePl]),
      ]),
      ...evidenceLegend.map(({ name, namePl }) => [name, namePl]),
      ...evidenceSections.flatMap(({ label, labelPl, questions = [] }) => [
        [label, labelPl],
        ...questions.map(({ question, questionPl }) => [question, questionPl]),
      ]),
      ...reportTemplates.flatMap(({ name, namePl, description, descriptionPl, sections }) => [
        [name, namePl],
        [description, descriptionPl],
        ...sections.map(({ label, labelPl }) => [label, labelPl]),
      ]),
      ...readinessDimensions.flatMap(({ title, titlePl, requirements }) => [
        [title, titlePl],
        ...requirements.map(({ action, actionPl }) => [action, actionPl]),
      ]),
    ];
    expect(pairs.filter((pair) => pair.some((text) => text?.trim() === ''))).toEqual([]);
  });

  it('links readiness actions to existing lists and parameters', () => {
    const byPath = new Map(operations.map((operation) => [operation.path as string, operation]));
    for (const { requirements } of readinessDimensions)
      for (const { link } of requirements) {
        const [path = '', query = ''] = link.split('?');
        const operation = byPath.get(path);
        expect(operation, link).toBeDefined();
        if (operation) expect(() => parseInput(operation, new URLSearchParams(query)), link).not.toThrow();
      }
  });

  it('has evidence for every framework, and a section for every entry of the legend', () => {
    const cited = new Set([...evidenceSections.flatMap(({ frameworks }) => frameworks), ...retentionFrameworks]);
    expect(evidenceLegend.filter(({ id }) => !cited.has(id))).toEqual([]);
    expect(new Set(evidenceLegend.map(({ framework }) => framework))).toEqual(new Set(frameworkKeys));
  });

  it('has an article for every entry of the legend', () => {
    expect(evidenceLegend.filter(({ id, framework }) => citations.get(id)?.framework.key !== framework)).toEqual([]);
  });

  it('orders every section by its own fields', () => {
    for (const { key, orderBy, fields, basis, windowField } of evidenceSections) {
      const names = fields.map(({ name }) => name.split(' ')[0]);
      for (const part of orderBy.split(', ')) expect(names, key).toContain(part.split(/[ .]/)[0]);
      expect(windowField === undefined, key).toBe(basis === 'state');
    }
  });
});

import { findingsPath, formatTime, type RequirementStatus } from '@tenantscope/contract';
import { readWeight } from '../catalogue/article-weight.ts';
import { citations } from '../catalogue/citations.ts';
import type { Article } from '../catalogue/framework.ts';
import type { Requirement } from '../catalogue/requirement.ts';
import { evaluate } from '../evaluation/evaluate.ts';
import type { Facts } from '../evaluation/facts.ts';
import { hasSubjects } from '../findings/subjects.ts';
import { buildAttestation } from './attestation-status.ts';
import { buildExceptions } from './exception-status.ts';

/** A requirement in the status document. */
export function buildRequirementStatus(requirement: Requirement, facts: Facts): RequirementStatus {
  const { key, title, titlePl, area, windowDays, evidenceSections } = requirement;
  const { status, evaluation, reason, metrics, dataAsOfMs, attestation, exceptionEffect } = evaluate(
    requirement,
    facts,
  );
  return {
    key,
    title,
    titlePl,
    area,
    description: requirement.whatIsMeasured,
    descriptionPl: requirement.whatIsMeasuredPl,
    status,
    evaluation,
    reason,
    evaluatedAt: formatTime(facts.nowMs),
    dataAsOf: dataAsOfMs === null ? null : formatTime(dataAsOfMs),
    windowDays,
    metricsJson: metrics,
    thresholds: buildThresholds(requirement),
    attestation: attestation && buildAttestation(requirement, attestation, facts),
    exceptions: buildExceptions(key, exceptionEffect, facts),
    articles: requirement.articles.flatMap((id) => buildArticles(key, id, facts.nowMs)),
    evidenceSections,
    findingsUrl: hasSubjects(requirement) ? findingsPath(key) : null,
  };
}

function buildThresholds(requirement: Requirement): RequirementStatus['thresholds'] {
  if (requirement.kind === 'attested') return null;
  const { primaryMetric, unit, direction, met, atRisk, population = null } = requirement.rule;
  return { primaryMetric, unit, direction, met, atRisk, population };
}

function buildArticles(key: string, id: string, nowMs: number): RequirementStatus['articles'] {
  const cited = citations.get(id);
  if (!cited) return [];
  const { ref, title, titlePl, appliesFrom = null } = cited.article;
  const framework = cited.framework.key;
  return [
    {
      id,
      framework,
      ref,
      title,
      titlePl,
      appliesFrom,
      inForce: isInForce(cited.article, nowMs),
      weight: readWeight(id, key),
    },
  ];
}

/** Days begin in UTC: the time zone of a law's first day does not matter. */
export function isInForce({ appliesFrom }: Article, nowMs: number): boolean {
  return appliesFrom === undefined || Date.parse(`${appliesFrom}T00:00:00.000Z`) <= nowMs;
}

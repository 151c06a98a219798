import { type RequirementStatus, showTime } from '@tenantscope/contract';
import { expiryOf } from './attestation.ts';
import { citations } from './catalogue/citations.ts';
import type { Article } from './catalogue/framework.ts';
import type { Requirement } from './catalogue/requirement.ts';
import { evaluate } from './evaluate.ts';
import type { Attestation, Facts } from './facts.ts';

/** A requirement as the status document shows it. */
export function requirementStatus(requirement: Requirement, facts: Facts): RequirementStatus {
  const { key, title, titlePl, area, whatIsMeasured, windowDays, evidenceSections } = requirement;
  const { status, evaluation, reason, metrics, dataAsOfMs, attestation } = evaluate(requirement, facts);
  return {
    key,
    title,
    titlePl,
    area,
    description: whatIsMeasured,
    status,
    evaluation,
    reason,
    evaluatedAt: showTime(facts.nowMs),
    dataAsOf: dataAsOfMs === null ? null : showTime(dataAsOfMs),
    windowDays,
    metricsJson: metrics,
    thresholds: thresholdsOf(requirement),
    attestation: attestation && shownAttestation(requirement, attestation),
    articles: requirement.articles.flatMap((id) => shownArticle(id, facts.nowMs)),
    evidenceSections,
  };
}

function thresholdsOf(requirement: Requirement): RequirementStatus['thresholds'] {
  if (requirement.kind === 'attested') return null;
  const { primaryMetric, unit, direction, met, atRisk, population = null } = requirement.rule;
  return { primaryMetric, unit, direction, met, atRisk, population };
}

function shownAttestation(requirement: Requirement, attestation: Attestation): RequirementStatus['attestation'] {
  const { verdict, justification, attestedBy, attestedAtMs, validUntilMs, evidenceRefs } = attestation;
  const untilMs =
    requirement.kind === 'attested' ? expiryOf(attestation, requirement.attestation.defaultValidityDays) : validUntilMs;
  return {
    verdict,
    justification,
    attestedBy,
    attestedAt: showTime(attestedAtMs),
    validUntil: untilMs === null ? null : showTime(untilMs),
    evidenceRefs: [...evidenceRefs],
  };
}

function shownArticle(id: string, nowMs: number): RequirementStatus['articles'] {
  const cited = citations.get(id);
  if (!cited) return [];
  const { ref, title, titlePl, appliesFrom = null } = cited.article;
  const framework = cited.framework.key;
  return [{ id, framework, ref, title, titlePl, appliesFrom, inForce: isInForce(cited.article, nowMs) }];
}

/** Days begin in UTC here: which zone a law's first day begins in is no matter of hours. */
export function isInForce({ appliesFrom }: Article, nowMs: number): boolean {
  return appliesFrom === undefined || Date.parse(`${appliesFrom}T00:00:00.000Z`) <= nowMs;
}

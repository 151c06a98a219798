import { type ComplianceStatus, type CopilotReadiness, type RequirementStatus, showTime } from '@tenantscope/contract';
import type { CopilotExposure } from '@tenantscope/store';
import { type ReadinessDimension, readinessDimensions } from './catalogue/readiness-dimension.ts';
import { isApplicable, percentOf } from './framework-status.ts';
import { readinessActions } from './readiness-actions.ts';

type Dimension = CopilotReadiness['dimensions'][number];

/** Readiness for an AI assistant. Pure; every standing follows from the status document, so that the two never contradict each other. */
export function readinessOf(status: ComplianceStatus, exposure: CopilotExposure): CopilotReadiness {
  const requirements = new Map(status.requirements.map((requirement) => [requirement.key, requirement]));
  const dimensions = readinessDimensions.map((dimension) => dimensionOf(dimension, requirements, exposure));
  const known = dimensions.filter((dimension) => dimension.status !== 'unknown');
  return {
    generatedAt: status.generatedAt,
    overall: overallOf(dimensions),
    readinessPercent: percentOf(known.filter((dimension) => dimension.status === 'ready').length, known.length),
    users: { ...exposure.users, activeByApp: [...exposure.users.activeByApp] },
    dimensions,
    topSites: exposure.sites.map(({ lastActivityAtMs, ...site }, index) => ({
      ...site,
      lastActivityAt: lastActivityAtMs === null ? null : showTime(lastActivityAtMs),
      riskRank: index + 1,
    })),
    topSensitiveTypes: exposure.types.map(({ id, name, filesInReach, labeledFiles, restriction }) => ({
      id,
      name,
      filesInReach,
      labeledPct: Math.floor((1000 * labeledFiles) / filesInReach) / 10,
      restriction,
    })),
    actions: readinessActions(dimensions, requirements),
    limitations: limitationsOf(dimensions, requirements),
  };
}

const standings: Readonly<Record<string, string>> = {
  not_met: 'blocked',
  at_risk: 'attention',
  not_evaluated: 'unknown',
  met: 'ready',
};
const worstFirst = ['blocked', 'attention', 'unknown', 'ready'];

function dimensionOf(
  { key, title, titlePl, blocking, metrics, requirements: cited }: ReadinessDimension,
  requirements: ReadonlyMap<string, RequirementStatus>,
  { users }: CopilotExposure,
): Dimension {
  const mine = cited.flatMap((one) => requirements.get(one.key) ?? []);
  const found = new Set(mine.filter(isApplicable).map(({ status }) => standings[status]));
  const own = new Map<string, unknown>(Object.entries(users));
  return {
    key,
    title,
    titlePl,
    blocking,
    status: worstFirst.find((standing) => found.has(standing)) ?? 'unknown',
    requirementKeys: cited.map((one) => one.key),
    metrics: Object.fromEntries([
      ...metrics.map((name) => [name, numberOf(own.get(name))] as const),
      ...mine.flatMap((one) =>
        Object.entries(one.metricsJson).map(([name, value]) => [`${one.key}/${name}`, value] as const),
      ),
    ]),
    findings: mine
      .filter((one) => isApplicable(one) && one.status !== 'met')
      .map((one) => ({
        requirementKey: one.key,
        title: one.title,
        titlePl: one.titlePl,
        status: one.status,
        reason: one.reason,
      })),
    dataAsOf: mine.flatMap(({ dataAsOf }) => dataAsOf ?? []).toSorted()[0] ?? null,
  };
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function overallOf(dimensions: readonly Dimension[]): string {
  const every = dimensions.map(({ status }) => status);
  const blocking = dimensions.filter((dimension) => dimension.blocking).map(({ status }) => status);
  if (blocking.includes('blocked')) return 'blocked';
  const unknown = every.filter((standing) => standing === 'unknown').length;
  if (unknown * 2 > every.length) return 'unknown';
  const allReady = every.every((standing) => standing === 'ready' || standing === 'unknown');
  return allReady && !blocking.includes('unknown') ? 'ready' : 'attention';
}

/** Requirements without data are named, so that nobody takes silence for safety. */
function limitationsOf(
  dimensions: readonly Dimension[],
  requirements: ReadonlyMap<string, RequirementStatus>,
): string[] {
  const silent = dimensions
    .flatMap(({ requirementKeys }) => requirementKeys)
    .filter((key) => requirements.get(key)?.evaluation === 'no_data');
  return [
    'Policies that keep Copilot from labelled content (data loss prevention for Copilot) are not known: no source tells of them.',
    'Sharing links and labels are counted over the files and sites that the connected sources listed.',
    ...(silent.length > 0 ? [`No current data behind: ${silent.join(', ')}.`] : []),
  ];
}

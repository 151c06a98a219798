import {
  type ComplianceStatus,
  type CopilotReadiness,
  formatTime,
  type RequirementStatus,
} from '@tenantscope/contract';
import type { CopilotExposure } from '@tenantscope/store/compliance';
import { isMetWithExceptions } from '../catalogue/article-weight.ts';
import { type ReadinessDimension, readinessDimensions } from '../catalogue/readiness-dimension.ts';
import type { LocalizedText } from '../report/language.ts';
import { isApplicable, toWholePercent } from '../status/framework-status.ts';
import { listReadinessActions } from './readiness-actions.ts';

type Dimension = CopilotReadiness['dimensions'][number];

/**
 * Readiness for an AI assistant. Pure; every state is derived from the status document, so that the two never contradict
 * each other.
 */
export function buildCopilotReadiness(status: ComplianceStatus, exposure: CopilotExposure): CopilotReadiness {
  const requirements = new Map(status.requirements.map((requirement) => [requirement.key, requirement]));
  const dimensions = readinessDimensions.map((dimension) => buildDimension(dimension, requirements, exposure));
  const withoutExceptions = dimensions.map((one) => ({ ...one, status: one.statusWithoutExceptions }));
  const limitations = listLimitations(dimensions, requirements);
  return {
    generatedAt: status.generatedAt,
    catalogueVersion: status.catalogueVersion,
    evaluatorVersion: status.evaluatorVersion,
    overall: rateOverall(dimensions),
    overallWithoutExceptions: rateOverall(withoutExceptions),
    readinessPercent: computeReadiness(dimensions),
    readinessPercentWithoutExceptions: computeReadiness(withoutExceptions),
    users: { ...exposure.users, activeByApp: [...exposure.users.activeByApp] },
    dimensions,
    topSites: exposure.sites.map(({ lastActivityAtMs, ...site }, index) => ({
      ...site,
      lastActivityAt: lastActivityAtMs === null ? null : formatTime(lastActivityAtMs),
      riskRank: index + 1,
    })),
    topSensitiveTypes: exposure.types.map(({ id, name, filesInReach, labeledFiles, restriction }) => ({
      id,
      name,
      filesInReach,
      labeledPct: Math.floor((1000 * labeledFiles) / filesInReach) / 10,
      restriction,
    })),
    actions: listReadinessActions(dimensions, requirements),
    limitations: limitations.map(([en]) => en),
    limitationsPl: limitations.map(([, pl]) => pl),
  };
}

const readinessByStatus: Readonly<Record<string, string>> = {
  not_met: 'blocked',
  at_risk: 'attention',
  not_evaluated: 'unknown',
  met: 'ready',
};
const worstFirst = ['blocked', 'attention', 'unknown', 'ready'];

function buildDimension(
  { key, title, titlePl, blocking, metrics, requirements: cited }: ReadinessDimension,
  requirements: ReadonlyMap<string, RequirementStatus>,
  { users }: CopilotExposure,
): Dimension {
  const ownRequirements = cited.flatMap((one) => requirements.get(one.key) ?? []);
  const applicable = ownRequirements.filter(isApplicable);
  const metricValues = new Map<string, unknown>(Object.entries(users));
  return {
    key,
    title,
    titlePl,
    blocking,
    status: rateDimension(applicable.map(({ status }) => status)),
    statusWithoutExceptions: rateDimension(applicable.map(readStatusWithoutExceptions)),
    metWithExceptionsCount: applicable.filter(isMetWithExceptions).length,
    requirementKeys: cited.map((one) => one.key),
    metrics: Object.fromEntries([
      ...metrics.map((name) => [name, toNumber(metricValues.get(name))] as const),
      ...ownRequirements.flatMap((one) =>
        Object.entries(one.metricsJson).map(([name, value]) => [`${one.key}/${name}`, value] as const),
      ),
    ]),
    findings: applicable
      .filter((one) => one.status !== 'met')
      .map((one) => ({
        requirementKey: one.key,
        title: one.title,
        titlePl: one.titlePl,
        status: one.status,
        reason: one.reason,
        statusWithoutExceptions: readStatusWithoutExceptions(one),
      })),
    dataAsOf: ownRequirements.flatMap(({ dataAsOf }) => dataAsOf ?? []).toSorted()[0] ?? null,
  };
}

function rateDimension(statuses: readonly string[]): string {
  const found = new Set(statuses.map((status) => readinessByStatus[status]));
  return worstFirst.find((state) => found.has(state)) ?? 'unknown';
}

const readStatusWithoutExceptions = ({ status, exceptions }: RequirementStatus): string =>
  exceptions?.statusWithout ?? status;

type RatedDimension = Pick<Dimension, 'status' | 'blocking'>;

function computeReadiness(dimensions: readonly RatedDimension[]): number | null {
  const rated = dimensions.filter(({ status }) => status !== 'unknown');
  return toWholePercent(rated.filter(({ status }) => status === 'ready').length, rated.length);
}

const toNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function rateOverall(dimensions: readonly RatedDimension[]): string {
  const every = dimensions.map(({ status }) => status);
  const blocking = dimensions.filter((dimension) => dimension.blocking).map(({ status }) => status);
  if (blocking.includes('blocked')) return 'blocked';
  const unknown = every.filter((state) => state === 'unknown').length;
  if (unknown * 2 > every.length) return 'unknown';
  const allReady = every.every((state) => state === 'ready' || state === 'unknown');
  return allReady && !blocking.includes('unknown') ? 'ready' : 'attention';
}

/** Names requirements without data, so that missing data is not taken for safety. */
function listLimitations(
  dimensions: readonly Dimension[],
  requirements: ReadonlyMap<string, RequirementStatus>,
): LocalizedText[] {
  const withoutData = dimensions
    .flatMap(({ requirementKeys }) => requirementKeys)
    .filter((key) => requirements.get(key)?.evaluation === 'no_data');
  return [
    [
      'Policies that block Copilot from labelled content (data loss prevention for Copilot) are unknown: no source reports them.',
      'Nie wiadomo, jakie zasady chronią treści z etykietami przed Copilotem (zapobieganie utracie danych): żadne źródło ich nie podaje.',
    ],
    [
      'Sharing links and labels are counted over the files and sites that the connected sources listed.',
      'Linki udostępniania i etykiety policzono wśród plików i witryn, które podały podłączone źródła.',
    ],
    ...(withoutData.length > 0 ? [describeMissing(withoutData)] : []),
  ];
}

const describeMissing = (keys: readonly string[]): LocalizedText => [
  `No current data behind: ${keys.join(', ')}.`,
  `Brak aktualnych danych dla: ${keys.join(', ')}.`,
];

import { formatTime, parseTime, type ScoreControl, type SecurityScore } from '@tenantscope/contract';
import type { ReportedControlProfile, ReportedScore } from '@tenantscope/store/compliance';
import { toDecimalPercent } from '../evaluation/ratio.ts';

/** The controls of a score with their profiles, largest gap first. */
export function buildControls({ controlScores, controlProfiles }: ReportedScore): ScoreControl[] {
  const profiles = new Map((controlProfiles ?? []).map((profile) => [profile.id, profile]));
  return (controlScores ?? [])
    .map(({ controlName, controlCategory, score }) => {
      const profile = profiles.get(controlName) ?? { id: controlName };
      const maxScore = toNumber(profile.maxScore);
      const currentScore = score ?? null;
      return {
        id: controlName,
        title: toText(profile.title),
        category: controlCategory ?? toText(profile.controlCategory),
        service: toText(profile.service),
        currentScore,
        maxScore,
        gap: maxScore === null || currentScore === null ? null : roundNoise(maxScore - currentScore),
        rank: toInteger(profile.rank),
        tier: toText(profile.tier),
        userImpact: toText(profile.userImpact),
        implementationCost: toText(profile.implementationCost),
        threats: Array.isArray(profile.threats) ? profile.threats.filter((threat) => typeof threat === 'string') : [],
        actionType: toText(profile.actionType),
        actionUrl: toText(profile.actionUrl),
        remediation: toText(profile.remediation),
        ...findLatestState(profile),
        deprecated: typeof profile.deprecated === 'boolean' ? profile.deprecated : null,
      };
    })
    .toSorted(compareGaps);
}

/** Sums over controls. A missing maximum is not estimated. */
export function buildCategories(controls: readonly ScoreControl[]): SecurityScore['categories'] {
  const categorised = controls.filter(({ category }) => category !== null);
  return [...Map.groupBy(categorised, ({ category }) => category ?? '')]
    .map(([category, some]) => {
      const currentScore = roundNoise(sum(some.map((control) => control.currentScore ?? 0)));
      const hasMaximum = some.every((control) => control.maxScore !== null);
      const maxScore = hasMaximum ? roundNoise(sum(some.map((control) => control.maxScore ?? 0))) : null;
      const percent = maxScore === null ? null : toDecimalPercent(currentScore, maxScore);
      return { category, currentScore, maxScore, percent };
    })
    .toSorted((left, right) => (left.category < right.category ? -1 : 1));
}

/** The tenant's latest decision about a control. */
function findLatestState({
  controlStateUpdates,
}: ReportedControlProfile): Pick<ScoreControl, 'state' | 'stateUpdatedAt'> {
  const updates: unknown[] = Array.isArray(controlStateUpdates) ? controlStateUpdates : [];
  const datedUpdates = updates.flatMap((update) => {
    const { state, updatedDateTime } = (update ?? {}) as Readonly<Record<string, unknown>>;
    return typeof state === 'string' ? [{ state, atMs: parseTime(toText(updatedDateTime) ?? '') }] : [];
  });
  const latest = datedUpdates.toSorted((left, right) => (left.atMs ?? 0) - (right.atMs ?? 0)).at(-1);
  return { state: latest?.state ?? null, stateUpdatedAt: latest?.atMs == null ? null : formatTime(latest.atMs) };
}

function compareGaps(left: ScoreControl, right: ScoreControl): number {
  return (
    (right.gap ?? Number.NEGATIVE_INFINITY) - (left.gap ?? Number.NEGATIVE_INFINITY) ||
    (left.rank ?? Number.POSITIVE_INFINITY) - (right.rank ?? Number.POSITIVE_INFINITY) ||
    (left.id < right.id ? -1 : 1)
  );
}

const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const toNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const toInteger = (value: unknown): number | null => (Number.isInteger(value) ? (value as number) : null);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Removes floating-point noise: 5 − 4.9 is 0.1. */
const roundNoise = (points: number): number => Math.round(points * 1e6) / 1e6;

import { parseTime, type ScoreControl, type SecurityScore, showTime } from '@tenantscope/contract';
import type { ToldControlProfile, ToldScore } from '@tenantscope/store';
import { decimalPercent } from './ratio.ts';

/** Controls of a score with what their profiles say, largest gap first. */
export function scoreControls({ controlScores, controlProfiles }: ToldScore): ScoreControl[] {
  const profiles = new Map((controlProfiles ?? []).map((profile) => [profile.id, profile]));
  return (controlScores ?? [])
    .map(({ controlName, controlCategory, score }) => {
      const profile = profiles.get(controlName) ?? { id: controlName };
      const maxScore = number(profile.maxScore);
      const currentScore = score ?? null;
      return {
        id: controlName,
        title: text(profile.title),
        category: controlCategory ?? text(profile.controlCategory),
        service: text(profile.service),
        currentScore,
        maxScore,
        gap: maxScore === null || currentScore === null ? null : withoutNoise(maxScore - currentScore),
        rank: whole(profile.rank),
        tier: text(profile.tier),
        userImpact: text(profile.userImpact),
        implementationCost: text(profile.implementationCost),
        threats: Array.isArray(profile.threats) ? profile.threats.filter((threat) => typeof threat === 'string') : [],
        actionType: text(profile.actionType),
        actionUrl: text(profile.actionUrl),
        remediation: text(profile.remediation),
        ...latestState(profile),
        deprecated: typeof profile.deprecated === 'boolean' ? profile.deprecated : null,
      };
    })
    .toSorted(byGap);
}

/** Sums over controls. A maximum that a control does not tell is not guessed. */
export function scoreCategories(controls: readonly ScoreControl[]): SecurityScore['categories'] {
  const told = controls.filter(({ category }) => category !== null);
  return [...Map.groupBy(told, ({ category }) => category ?? '')]
    .map(([category, some]) => {
      const currentScore = withoutNoise(sum(some.map((control) => control.currentScore ?? 0)));
      const known = some.every((control) => control.maxScore !== null);
      const maxScore = known ? withoutNoise(sum(some.map((control) => control.maxScore ?? 0))) : null;
      const percent = maxScore === null ? null : decimalPercent(currentScore, maxScore);
      return { category, currentScore, maxScore, percent };
    })
    .toSorted((left, right) => (left.category < right.category ? -1 : 1));
}

/** What the tenant decided about a control last. */
function latestState({ controlStateUpdates }: ToldControlProfile): Pick<ScoreControl, 'state' | 'stateUpdatedAt'> {
  const updates: unknown[] = Array.isArray(controlStateUpdates) ? controlStateUpdates : [];
  const told = updates.flatMap((update) => {
    const { state, updatedDateTime } = (update ?? {}) as Readonly<Record<string, unknown>>;
    return typeof state === 'string' ? [{ state, atMs: parseTime(text(updatedDateTime) ?? '') }] : [];
  });
  const latest = told.toSorted((left, right) => (left.atMs ?? 0) - (right.atMs ?? 0)).at(-1);
  return { state: latest?.state ?? null, stateUpdatedAt: latest?.atMs == null ? null : showTime(latest.atMs) };
}

function byGap(left: ScoreControl, right: ScoreControl): number {
  return (
    (right.gap ?? Number.NEGATIVE_INFINITY) - (left.gap ?? Number.NEGATIVE_INFINITY) ||
    (left.rank ?? Number.POSITIVE_INFINITY) - (right.rank ?? Number.POSITIVE_INFINITY) ||
    (left.id < right.id ? -1 : 1)
  );
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const whole = (value: unknown): number | null => (Number.isInteger(value) ? (value as number) : null);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** 5 − 4.9 is 0.1 to whoever reads it. */
const withoutNoise = (points: number): number => Math.round(points * 1e6) / 1e6;

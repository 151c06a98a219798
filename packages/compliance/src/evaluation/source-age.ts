import { dayMs, hourMs } from '@tenantscope/contract';
import type { MeasuredRequirement } from '../catalogue/requirement.ts';
import type { Facts, SourceState } from './facts.ts';
import { listNeededSources, type NeededSource } from './needed-sources.ts';

/** Why a source is unusable, the most severe first. */
const faults = ['source_missing', 'source_disabled', 'source_stale', 'source_gap'] as const;
export type SourceFault = (typeof faults)[number];

/** Why a requirement's sources are unusable, or null. */
export function checkSources(requirement: MeasuredRequirement, facts: Facts): SourceFault | null {
  const found = new Set(listNeededSources(requirement, facts).map((source) => findFault(source, requirement, facts)));
  return faults.find((fault) => found.has(fault)) ?? null;
}

/** Of several states of a source the oldest enabled one decides. */
function findFault(
  { states, hasEvents }: NeededSource,
  { rule, windowDays }: MeasuredRequirement,
  { nowMs }: Facts,
): SourceFault | null {
  const active = listActive(states, rule);
  if (active.length === 0)
    return states.some(({ enabled }) => enabled === false) ? 'source_disabled' : 'source_missing';
  const ages = active.map(findAge);
  if (ages.includes(null)) return 'source_missing';
  const { maxSourceAgeHours } = rule;
  if (maxSourceAgeHours !== null && ages.some((at) => nowMs - (at ?? 0) > maxSourceAgeHours * hourMs))
    return 'source_stale';
  if (!hasEvents || windowDays === null) return null;
  const fromMs = nowMs - windowDays * dayMs;
  const inWindow = ({ fromMs: from, toMs: to }: SourceState['gaps'][number]) =>
    Math.max(from, to) >= fromMs && Math.min(from, to) <= nowMs;
  return active.some(({ gaps }) => gaps.some(inWindow)) ? 'source_gap' : null;
}

/** A rule that measures ages counts disabled collectors itself. */
const listActive = (states: readonly SourceState[], { maxSourceAgeHours }: MeasuredRequirement['rule']) =>
  maxSourceAgeHours === null ? states : states.filter(isActive);

export const isActive = ({ enabled, licensed }: SourceState): boolean => enabled !== false && licensed !== false;

/** How far it reaches: what its collector reports, without a report its newest row. */
const findAge = ({ lastCompleteImportMs, newestMs }: SourceState): number | null => lastCompleteImportMs ?? newestMs;

/** How far the oldest of a requirement's sources reaches. A disabled or unlicensed collector counts only where no other one delivers. */
export function findOldestSource(requirement: MeasuredRequirement, facts: Facts): number | null {
  const ages = listNeededSources(requirement, facts)
    .flatMap(({ states }) => {
      const active = listActive(states, requirement.rule);
      return (active.length > 0 ? active : states).map(findAge);
    })
    .filter((at) => at !== null);
  return ages.length > 0 ? Math.min(...ages) : null;
}

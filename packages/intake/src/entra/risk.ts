import type { EventThreat, Severity } from '@tenantscope/contract';
import { type Json, toText } from '../json/value.ts';
import { findHighest, parseSeverity } from '../severity/severity.ts';

/** Entra's rating of a sign-in, a user or an application. */
export interface Risk {
  /** `none` and `hidden` are values too; so are those that Entra may add. */
  readonly level: string | null;
  readonly state: string | null;
  /** Names of the detected risks; null where there are none. */
  readonly types: readonly string[] | null;
}

/** @param moreLevels further levels of the same record, of which the highest counts */
export function rateRisk({ level, state }: Risk, ...moreLevels: readonly (Json | undefined)[]): Severity | null {
  return findHighest([
    ...[level, ...moreLevels].map(parseSeverity),
    state === null ? null : (stateSeverities.get(state.toLowerCase()) ?? null),
  ]);
}

/** Null where Entra found no risk, or hides it from a tenant without the licence. */
export function readRiskThreat(risk: Risk, name: string | null, source: string | null): EventThreat | null {
  const isRated = parseSeverity(risk.level ?? undefined) !== null;
  if (!isRated && !stateSeverities.has(risk.state?.toLowerCase() ?? '')) return null;
  return {
    verdict: risk.state === 'none' ? null : risk.state,
    level: isRated ? risk.level : null,
    name: name ?? risk.types?.join(', ') ?? null,
    source,
  };
}

/** Texts of a list; null for an empty list and for anything else. */
export function readTypes(list: Json | undefined): readonly string[] | null {
  if (!Array.isArray(list)) return null;
  const types = list.flatMap((type) => toText(type) ?? []);
  return types.length === 0 ? null : types;
}

/** How Entra names the engine in its own risk detections. */
export const identityProtection = 'IdentityProtection';

const stateSeverities = new Map<string, Severity>([
  ['atrisk', 'medium'],
  ['confirmedcompromised', 'high'],
]);

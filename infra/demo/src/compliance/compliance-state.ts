import { guidOf } from '../chance.ts';
import type { Company } from '../company.ts';
import type { DemoState } from '../demo-state.ts';

/** A record about a company's duties, by an id that always belongs to these names. */
export function complianceState(
  { plan }: Company,
  kind: string,
  names: readonly string[],
  changedAtMs: number,
  fields: Readonly<Record<string, unknown>>,
): DemoState {
  return namedState(kind, guidOf(plan.azureTenantId, kind, ...names), changedAtMs, fields);
}

/** The same by an id that is known elsewhere. */
export function namedState(
  kind: string,
  id: string,
  changedAtMs: number,
  fields: Readonly<Record<string, unknown>>,
): DemoState {
  return { topic: 'compliance', kind, id, changedAtMs, fields };
}

export const dayMs = 86_400_000;

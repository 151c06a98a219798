import type { Company } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { deriveGuid } from '../random.ts';

/** A compliance record with an id derived from names. */
export function createComplianceState(
  { plan }: Company,
  kind: string,
  names: readonly string[],
  changedAtMs: number,
  fields: Readonly<Record<string, unknown>>,
): DemoState {
  return createNamedState(kind, deriveGuid(plan.azureTenantId, kind, ...names), changedAtMs, fields);
}

/** A compliance record with a given id. */
export function createNamedState(
  kind: string,
  id: string,
  changedAtMs: number,
  fields: Readonly<Record<string, unknown>>,
): DemoState {
  return { topic: 'compliance', kind, id, changedAtMs, fields };
}

export const dayMs = 86_400_000;

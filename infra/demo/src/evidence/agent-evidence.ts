import type { Company } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { buildAgentHistory, isCompromised } from '../inventory/agent-history.ts';
import { generateAttackEvidence } from './attack.ts';
import { generateInstructionChanges } from './instruction-changes.ts';
import { generateLifecycle } from './lifecycle.ts';
import { generatePermissionGrants } from './permission-grants.ts';
import { generateRestrictionRecords } from './restriction-records.ts';

/** The lifecycle, permissions and attacks of each agent, and the restrictions of content for AI. */
export function* generateAgentEvidence(company: Company, endMs: number, storylineMs: number): Generator<DemoState> {
  for (const agent of company.agents) {
    const life = buildAgentHistory(company, agent, endMs, storylineMs);
    yield* generateLifecycle(company, agent, life);
    yield* generatePermissionGrants(company, agent, life.createdMs, endMs);
    yield* generateInstructionChanges(company, agent, life, endMs);
    if (isCompromised(company, agent)) yield* generateAttackEvidence(company, agent, storylineMs);
  }
  yield* generateRestrictionRecords(company, endMs);
}

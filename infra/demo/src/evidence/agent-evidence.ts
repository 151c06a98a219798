import type { Company } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { isBroken, lifeOf } from '../estate/agent-life.ts';
import { attack } from './attack.ts';
import { instructionChanges } from './instruction-changes.ts';
import { lifecycle } from './lifecycle.ts';
import { permissionGrants } from './permission-grants.ts';
import { restrictionRecords } from './restriction-records.ts';

/** What became of each agent, what it may do, what attacked it, and which kinds of content were closed to AI. */
export function* agentEvidence(company: Company, endMs: number, storyMs: number): Generator<DemoState> {
  for (const agent of company.agents) {
    const life = lifeOf(company, agent, endMs, storyMs);
    yield* lifecycle(company, agent, life);
    yield* permissionGrants(company, agent, life.createdMs, endMs);
    yield* instructionChanges(company, agent, life, endMs);
    if (isBroken(company, agent)) yield* attack(company, agent, storyMs);
  }
  yield* restrictionRecords(company, endMs);
}

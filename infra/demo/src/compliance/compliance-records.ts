import type { Company } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { generateDeclarations } from './declarations.ts';
import { generateMonitors } from './monitors.ts';
import { generateSecurityScores } from './security-score.ts';
import { generateSourceStates } from './sources.ts';

/** The compliance records of a company: declarations, sources, monitors and scores. */
export function* generateComplianceRecords(company: Company, endMs: number, storylineMs: number): Generator<DemoState> {
  yield* generateDeclarations(company, endMs);
  yield* generateSourceStates(company, endMs);
  yield* generateMonitors(company, endMs);
  yield* generateSecurityScores(company, endMs, storylineMs);
}

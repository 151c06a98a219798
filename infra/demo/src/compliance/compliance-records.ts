import type { Company } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { declarations } from './declarations.ts';
import { securityScores } from './security-score.ts';
import { sourceStates } from './sources.ts';
import { watchers } from './watchers.ts';

/** What is known of how a company keeps its duties, beside what it does. */
export function* complianceRecords(company: Company, endMs: number, storyMs: number): Generator<DemoState> {
  yield* declarations(company, endMs);
  yield* sourceStates(company, endMs);
  yield* watchers(company, endMs);
  yield* securityScores(company, endMs, storyMs);
}

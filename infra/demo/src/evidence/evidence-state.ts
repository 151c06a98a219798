import type { DemoState } from '../demo-state.ts';

/** A record for the evidence pack that no feed contains. */
export function createEvidenceState(
  kind: string,
  id: string,
  atMs: number,
  fields: Record<string, unknown>,
): DemoState {
  return { topic: 'agentEvidence', kind, id, changedAtMs: atMs, fields };
}

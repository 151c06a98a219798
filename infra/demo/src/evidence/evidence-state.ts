import type { DemoState } from '../demo-state.ts';

/** A record of what the evidence pack needs and no feed carries. */
export function evidenceState(kind: string, id: string, atMs: number, fields: Record<string, unknown>): DemoState {
  return { topic: 'agentEvidence', kind, id, changedAtMs: atMs, fields };
}

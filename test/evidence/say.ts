import { at, type Saying } from '../compliance/said.ts';

type Members = Readonly<Record<string, unknown>>;

/** A record of agents' evidence with whatever members a producer sends. */
export const evidenceOf = (kind: string, id: string, members: Members): Saying => ({
  topic: 'agentEvidence',
  type: `agent-evidence.${kind}`,
  id,
  members,
});

export const toldLifecycle = (id: string, agentId: string, event: string, atMs: number, more: Members = {}): Saying =>
  evidenceOf('agentLifecycle', id, { agentId, event, occurredAt: at(atMs), ...more });

export const toldThreat = (id: string, agentId: string, flag: string, atMs: number, more: Members = {}): Saying =>
  evidenceOf('threatEvent', id, { agentId, flag, occurredAt: at(atMs), ...more });

export const toldChange = (id: string, agentId: string, atMs: number, more: Members = {}): Saying =>
  evidenceOf('instructionChange', id, { agentId, occurredAt: at(atMs), ...more });

/** The record is gone since this moment. */
export const withdrawn = (kind: string, id: string): Saying =>
  ({ ...evidenceOf(kind, id, {}), deleted: true }) as Saying;

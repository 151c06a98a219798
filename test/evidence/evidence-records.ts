import { at, type InputRecord } from '../compliance/input-records.ts';

type Members = Readonly<Record<string, unknown>>;

/** An agent evidence record with the given members. */
export const evidenceRecord = (kind: string, id: string, members: Members): InputRecord => ({
  topic: 'agentEvidence',
  type: `agent-evidence.${kind}`,
  id,
  members,
});

export const reportedLifecycle = (
  id: string,
  agentId: string,
  event: string,
  atMs: number,
  more: Members = {},
): InputRecord => evidenceRecord('agentLifecycle', id, { agentId, event, occurredAt: at(atMs), ...more });

export const reportedThreat = (
  id: string,
  agentId: string,
  flag: string,
  atMs: number,
  more: Members = {},
): InputRecord => evidenceRecord('threatEvent', id, { agentId, flag, occurredAt: at(atMs), ...more });

export const reportedChange = (id: string, agentId: string, atMs: number, more: Members = {}): InputRecord =>
  evidenceRecord('instructionChange', id, { agentId, occurredAt: at(atMs), ...more });

/** The record is deleted at this time. */
export const deletedEvidence = (kind: string, id: string): InputRecord =>
  ({ ...evidenceRecord(kind, id, {}), deleted: true }) as InputRecord;

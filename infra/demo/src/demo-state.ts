import type { TopicName } from '@tenantscope/contract';
import { formatRecordKey, toEventType } from '@tenantscope/intake';
import { createCloudEventMessage, type Message } from '@tenantscope/publish';

/** One state of a mutable record, as published by its source. */
export type DemoState = OwnState | OwnRemoval | ProviderState;

/** A full state of one of the platform's own records; its version is the microseconds of `changedAtMs`. */
export interface OwnState {
  readonly topic: Exclude<TopicName, 'activity' | 'tenant' | 'rawAlert' | 'rawEntity'>;
  /** The kind, as used in message keys and event types. */
  readonly kind: string;
  readonly id: string;
  readonly changedAtMs: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The removal of an entity or an evidence record: a deletion event and the tombstone for compaction. */
export interface OwnRemoval {
  readonly topic: 'entity' | 'agentEvidence';
  readonly kind: string;
  readonly id: string;
  readonly changedAtMs: number;
  readonly removedBecause: string;
}

/** A provider's own object in one of its formats. */
export interface ProviderState {
  readonly topic: 'rawAlert' | 'rawEntity';
  readonly format: string;
  readonly kind: string;
  readonly id: string;
  readonly changedAtMs: number;
  readonly record: Readonly<Record<string, unknown>>;
}

/** The messages of a state, in order. */
export function toMessages(state: DemoState, tenantId: string): Message[] {
  const { kind, id, changedAtMs } = state;
  const key = formatRecordKey(tenantId, kind, id);
  const createMessage = (type: string, payload: Readonly<Record<string, unknown>>) =>
    createCloudEventMessage({
      id: crypto.randomUUID(),
      source: 'format' in state ? '/collectors/demo' : '/platform/demo',
      type,
      tenantId,
      timeMs: changedAtMs,
      value: Buffer.from(JSON.stringify(payload)),
      key,
    });
  if ('format' in state) return [createMessage(toEventType(state.format), state.record)];
  const head = { id, tenantId, version: changedAtMs * 1_000 };
  if ('removedBecause' in state) {
    const deletion = { ...head, deletedAt: formatInstant(changedAtMs), reason: state.removedBecause };
    return [
      createMessage(`tenantscope.${topicSegment(state)}${kind}.deleted.v1`, deletion),
      { key, value: null, headers: {} },
    ];
  }
  const payload = { ...head, changedAt: formatInstant(changedAtMs), ...state.fields };
  return [createMessage(`tenantscope.${topicSegment(state)}${kind}.upserted.v1`, payload)];
}

/** In topics with several kinds, the event type names the topic before the kind. */
function topicSegment({ topic }: OwnState | OwnRemoval): string {
  if (topic === 'entity') return 'entity.';
  return topic === 'agentEvidence' ? 'agent-evidence.' : '';
}

export function formatInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function formatOptionalInstant(atMs: number | null): string | null {
  return atMs === null ? null : formatInstant(atMs);
}

import type { TopicName } from '@tenantscope/contract';
import { typeOfFormat, writeKey } from '@tenantscope/intake';
import { cloudEvent, type Message } from '@tenantscope/publish';

/** One state of a record that may change, as whoever keeps the record would say it. */
export type DemoState = OwnState | OwnRemoval | ProviderState;

/** A full state of one of the platform's own records; its version is the microseconds of `changedAtMs`. */
export interface OwnState {
  readonly topic: Exclude<TopicName, 'activity' | 'tenant' | 'rawAlert' | 'rawEntity'>;
  /** As keys and types of events spell it. */
  readonly kind: string;
  readonly id: string;
  readonly changedAtMs: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The end of an entity or of a piece of evidence: a deletion, and the tombstone that lets compaction forget. */
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

/** The messages that say it, in order. */
export function messagesOf(state: DemoState, tenantId: string): Message[] {
  const { kind, id, changedAtMs } = state;
  const key = writeKey(tenantId, kind, id);
  const say = (type: string, payload: Readonly<Record<string, unknown>>) =>
    cloudEvent({
      id: crypto.randomUUID(),
      source: 'format' in state ? '/collectors/demo' : '/platform/demo',
      type,
      tenantId,
      timeMs: changedAtMs,
      value: Buffer.from(JSON.stringify(payload)),
      key,
    });
  if ('format' in state) return [say(typeOfFormat(state.format), state.record)];
  const head = { id, tenantId, version: changedAtMs * 1_000 };
  if ('removedBecause' in state) {
    const deletion = { ...head, deletedAt: shown(changedAtMs), reason: state.removedBecause };
    return [say(`tenantscope.${area(state)}${kind}.deleted.v1`, deletion), { key, value: null, headers: {} }];
  }
  const payload = { ...head, changedAt: shown(changedAtMs), ...state.fields };
  return [say(`tenantscope.${area(state)}${kind}.upserted.v1`, payload)];
}

/** Topics of several kinds say which they are before the kind. */
function area({ topic }: OwnState | OwnRemoval): string {
  if (topic === 'entity') return 'entity.';
  return topic === 'agentEvidence' ? 'agent-evidence.' : '';
}

export function shown(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function shownOrNull(atMs: number | null): string | null {
  return atMs === null ? null : shown(atMs);
}

import { topicName, topics } from '@tenantscope/contract';
import { type BoundValues, createBoundEnvelope } from './bound-envelope.ts';

export interface ReplayBinding extends BoundValues {
  readonly id: string;
  readonly cluster: string;
  readonly topic: string;
  readonly isRemoved: boolean;
}

/** The original message of a dead letter. */
export interface StoredOriginal {
  readonly topic: string;
  readonly key: Buffer | null;
  readonly headers: readonly (readonly [name: string, value: Buffer])[];
  readonly producedAtMs: number | null;
  /** The source binding that it was read with; null where key and headers are its envelope. */
  readonly bindingId: string | null;
}

/**
 * The binding by which a dead letter is read again: that of its topic now, which may be the corrected one, else the one that it was read with. Null where its
 * own envelope counts.
 */
export function findOriginalBinding<Binding extends ReplayBinding>(
  { bindingId }: Pick<StoredOriginal, 'bindingId'>,
  bindings: readonly Binding[],
): Binding | null {
  const stored = bindings.find(({ id }) => id === bindingId);
  if (stored === undefined) return null;
  const isCurrent = ({ isRemoved, cluster, topic }: Binding) =>
    !isRemoved && cluster === stored.cluster && topic === stored.topic;
  return bindings.find(isCurrent) ?? stored;
}

/**
 * The message by which an original is replayed. One of a bound topic goes to the product's own topic with the envelope of its binding: others write the bound
 * topic, and its headers are ignored. Any other is unchanged.
 */
export function addressOriginal<Original extends StoredOriginal>(
  original: Original,
  bindings: readonly ReplayBinding[],
  prefix: string,
): Original {
  const binding = findOriginalBinding(original, bindings);
  const envelope = binding === null ? null : createBoundEnvelope(binding, original.producedAtMs);
  if (envelope === null) return original;
  return {
    ...original,
    topic: topicName(prefix, topics[envelope.topic]),
    key: null,
    headers: envelope.headers.map(([name, value]) => [name, Buffer.from(value)] as const),
  };
}

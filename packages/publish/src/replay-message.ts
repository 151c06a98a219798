import type { Message } from './cloud-event-message.ts';

/** Headers added to a replayed dead letter: its id, and the element of the original message to process, all without it. */
export const replayHeaders = {
  deadLetter: 'tenantscope-dead-letter',
  element: 'tenantscope-dead-letter-element',
} as const;

/** A dead letter and its original message. */
export interface OriginalMessage {
  readonly id: string;
  /** -1 is the whole message. */
  readonly element: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** In order; names may repeat. */
  readonly headers: readonly (readonly [name: string, value: Buffer])[];
}

/** Creates the message that replays a dead letter: the original bytes, key and headers, and its id, so that only what failed is processed and a new failure updates the same dead letter. */
export function createReplayMessage({ id, element, key, value, headers }: OriginalMessage): Message {
  // Names may repeat; their values keep their order.
  const named = Map.groupBy(
    headers.filter(([name]) => name !== replayHeaders.element),
    ([name]) => name,
  )
    .entries()
    .map(([name, pairs]) => [name, pairs.map(([, bytes]) => bytes)]);
  return {
    key,
    value,
    headers: {
      ...Object.fromEntries(named),
      [replayHeaders.deadLetter]: id,
      ...(element >= 0 && { [replayHeaders.element]: String(element) }),
    },
  };
}

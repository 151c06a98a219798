import type { Message } from './cloud-event.ts';

/** Headers that a replayed dead letter carries beside its own: the letter's id, and the one element of the original that is meant. */
export const replayHeaders = { letter: 'tenantscope-dead-letter', element: 'tenantscope-dead-letter-element' } as const;

/** A dead letter and the message it came in. */
export interface OriginalMessage {
  readonly id: string;
  readonly element: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** In their order; a name may repeat. */
  readonly headers: readonly (readonly [name: string, value: Buffer])[];
}

/** The original to be published again: same bytes, key and headers, and the letter's id, so that only its element is taken and a new failure comes back as the same letter. */
export function replayMessage({ id, element, key, value, headers }: OriginalMessage): Message {
  // A name may stand several times; its values keep their order.
  const named = Map.groupBy(headers, ([name]) => name)
    .entries()
    .map(([name, pairs]) => [name, pairs.map(([, bytes]) => bytes)]);
  return {
    key,
    value,
    headers: { ...Object.fromEntries(named), [replayHeaders.letter]: id, [replayHeaders.element]: String(element) },
  };
}

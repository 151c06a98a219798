import type { Message } from './cloud-event.ts';

/** What one produce request carries. */
export interface Send<Part extends Message = Message> {
  readonly messages: readonly Part[];
  readonly bytes: number;
}

/**
 * Cuts a stream of messages into sends of at most `maxBytes`, a longer message alone in its own. Keys and headers count.
 *
 * A send becomes one record batch per partition, and a broker refuses a batch above its `max.message.bytes` (1 MiB by
 * default) as a whole, without retry. Since the messages of one tenant share a partition, the whole send is held below.
 */
export async function* cutSends<Part extends Message>(
  messages: AsyncIterable<Part> | Iterable<Part>,
  maxBytes = 700_000,
): AsyncGenerator<Send<Part>> {
  let held: Part[] = [];
  let bytes = 0;
  for await (const message of messages) {
    const size = sizeOf(message);
    if (held.length > 0 && bytes + size > maxBytes) {
      yield { messages: held, bytes };
      held = [];
      bytes = 0;
    }
    held.push(message);
    bytes += size;
  }
  if (held.length > 0) yield { messages: held, bytes };
}

/** What a record costs in a batch beside its key, value and headers is at most 21 bytes: lengths, deltas, attributes. */
const recordOverheadBytes = 21;

function sizeOf(message: Message): number {
  let bytes = recordOverheadBytes + byteLength(message.key) + byteLength(message.value);
  for (const [name, values] of Object.entries(message.headers)) {
    for (const value of Array.isArray(values) ? values : [values]) bytes += byteLength(name) + byteLength(value) + 10;
  }
  return bytes;
}

function byteLength(part: Buffer | string | null): number {
  return part === null ? 0 : Buffer.byteLength(part);
}

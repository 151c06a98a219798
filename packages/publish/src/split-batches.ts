import type { Message } from './cloud-event-message.ts';

/** The messages of one produce request. */
export interface MessageBatch<Part extends Message = Message> {
  readonly messages: readonly Part[];
  readonly bytes: number;
}

/**
 * Splits a stream of messages into batches of at most `maxBytes`; a longer message gets a batch of its own. Keys and headers count.
 *
 * A batch becomes one record batch per partition, and a broker rejects a record batch above its `max.message.bytes` (1 MiB by
 * default) as a whole, without retry. Since the messages of one tenant share a partition, the limit applies to the whole batch.
 */
export async function* splitIntoBatches<Part extends Message>(
  messages: AsyncIterable<Part> | Iterable<Part>,
  maxBytes = 700_000,
): AsyncGenerator<MessageBatch<Part>> {
  let messagesInBatch: Part[] = [];
  let bytes = 0;
  for await (const message of messages) {
    const size = messageSize(message);
    if (messagesInBatch.length > 0 && bytes + size > maxBytes) {
      yield { messages: messagesInBatch, bytes };
      messagesInBatch = [];
      bytes = 0;
    }
    messagesInBatch.push(message);
    bytes += size;
  }
  if (messagesInBatch.length > 0) yield { messages: messagesInBatch, bytes };
}

/** Overhead of a record in a batch, besides key, value and headers: at most 21 bytes for lengths, deltas and attributes. */
const recordOverheadBytes = 21;

function messageSize(message: Message): number {
  let bytes = recordOverheadBytes + byteLength(message.key) + byteLength(message.value);
  for (const [name, values] of Object.entries(message.headers)) {
    for (const value of Array.isArray(values) ? values : [values]) bytes += byteLength(name) + byteLength(value) + 10;
  }
  return bytes;
}

function byteLength(part: Buffer | string | null): number {
  return part === null ? 0 : Buffer.byteLength(part);
}

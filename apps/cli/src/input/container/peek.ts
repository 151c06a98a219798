/** The first bytes of a stream, and the whole stream with them. */
export interface PeekedStream {
  readonly head: Buffer;
  /** Whether the head is all of it. */
  readonly isWhole: boolean;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Reads ahead at least `bytes`, or to the end. */
export async function peekStream(chunks: AsyncIterable<Buffer>, bytes: number): Promise<PeekedStream> {
  const iterator = chunks[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let length = 0;
  let isWhole = false;
  while (length < bytes && !isWhole) {
    const next = await iterator.next();
    isWhole = next.done === true;
    if (next.done) break;
    parts.push(next.value);
    length += next.value.length;
  }
  return { head: Buffer.concat(parts), isWhole, chunks: continueStream(parts, isWhole ? null : iterator) };
}

async function* continueStream(parts: Buffer[], iterator: AsyncIterator<Buffer> | null): AsyncGenerator<Buffer> {
  try {
    for (let part = parts.shift(); part; part = parts.shift()) yield part;
    for (let next = await iterator?.next(); next && !next.done; next = await iterator?.next()) yield next.value;
  } finally {
    await iterator?.return?.();
  }
}

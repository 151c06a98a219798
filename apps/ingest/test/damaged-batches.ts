import fc from 'fast-check';
import { expect } from 'vitest';
import { BatchError } from '../src/kafka/batch-error.ts';
import { codecNames, decompress } from '../src/kafka/decompression.ts';
import { decodeFetchedRecords } from '../src/kafka/fetched-records.ts';
import { listHeaders } from '../src/kafka/record-headers.ts';
import { compressBatch, compressors } from './encoded-batch.ts';

// Properties with a short form in the unit tests and a long one in `npm run torture`.

const maxBytes = 100_000;

export interface FuzzParameters {
  readonly numRuns: number;
  readonly seed?: number;
}

/** Compressed content with some bytes changed, removed or added, or no compressed content at all. */
const damaged = fc
  .record({
    compressor: fc.constantFrom(...Object.keys(compressors)),
    content: fc.uint8Array({ maxLength: 3_000 }),
    repeats: fc.integer({ min: 1, max: 50 }),
    changes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
    truncatedTo: fc.option(fc.nat()),
    tail: fc.uint8Array({ maxLength: 20 }),
  })
  .map(({ compressor, content, repeats, changes, truncatedTo, tail }) => {
    const { codec, compress } = compressors[compressor] as (typeof compressors)[string];
    const bytes = compress(Buffer.concat(Array<Uint8Array>(repeats).fill(content)));
    for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
    return { codec, bytes: Buffer.concat([bytes.subarray(0, truncatedTo ?? bytes.length), tail]) };
  });
const arbitrary = fc.record({
  codec: fc.constantFrom(...codecNames),
  bytes: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
});

/** Whatever the bytes are, they are decompressed within the bound or refused. */
export async function checkDamagedContent(parameters: FuzzParameters): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.oneof(damaged, arbitrary), async ({ codec, bytes }) => {
      const result = await decompress(codec, bytes, maxBytes).catch((error: unknown) => error);
      if (!Buffer.isBuffer(result)) expect(result).toBeInstanceOf(BatchError);
      else if (codec !== 'uncompressed') expect(result.length).toBeLessThanOrEqual(maxBytes);
    }),
    parameters,
  );
}

/** Whatever a batch is, it is decoded as written or ends its partition. */
export async function checkDamagedBatches(parameters: FuzzParameters): Promise<void> {
  const records = fc.array(
    fc.record({
      key: fc.option(fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes))),
      value: fc.option(fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))),
      headers: fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.string({ maxLength: 8 }), { maxKeys: 3 }),
    }),
    { minLength: 1, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(
      records,
      fc.constantFrom(...Object.keys(compressors)),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 5 }),
      async (written, compressor, changes) => {
        const batch = compressBatch(written, compressor, 100n);
        const bytes = Buffer.concat([batch, batch]);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        const decoded = await decodeFetchedRecords(bytes, { remainingBytes: maxBytes, maxBatchBytes: maxBytes });
        const failed = decoded.findIndex(({ undecodable }) => undecodable !== undefined);
        expect(failed === -1 || failed === decoded.length - 1).toBe(true);
        for (const record of decoded)
          for (const [name] of listHeaders(record.headers)) expect(name).toBeTypeOf('string');
        if (changes.length === 0) {
          expect(decoded).toHaveLength(written.length * 2);
          expect(decoded.slice(0, written.length).map(({ value }) => value)).toEqual(written.map(({ value }) => value));
        }
      },
    ),
    parameters,
  );
}

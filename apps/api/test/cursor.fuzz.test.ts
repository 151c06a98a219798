// @module-tag exhaustive
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CursorContent, createCursorCodec } from '../src/records/cursor.ts';

/** `npm run torture -- --seed N` repeats a long run. */
const { TENANTSCOPE_TORTURE: long, TENANTSCOPE_TORTURE_SEED: seed } = process.env;
const options = { numRuns: long ? 100_000 : 200, ...(seed ? { seed: Number(seed) } : {}) };
const timeout = long ? 900_000 : 30_000;

const secrets = ['a secret of more than 32 characters for tests'];
const cursors = createCursorCodec(() => secrets);
const text = fc.string({ unit: 'grapheme', maxLength: 300 });
const milliseconds = fc.oneof(fc.constant(null), fc.integer({ min: -8.64e15, max: 8.64e15 }));

const content: fc.Arbitrary<CursorContent> = fc.record({
  operation: text,
  tenantId: fc.uuid(),
  filters: fc.dictionary(
    text.filter((name) => name !== '__proto__'),
    fc.array(fc.oneof(text, fc.boolean()), { maxLength: 50 }),
    { noNullPrototype: true },
  ),
  isPrivate: fc.boolean(),
  windows: fc.dictionary(
    fc.constantFrom('discoveredAt', 'occurredAt'),
    fc.record({ fromMs: milliseconds, toMs: milliseconds }),
    { noNullPrototype: true },
  ),
  sort: text,
  limit: fc.integer({ min: 1, max: 1_000 }),
  after: fc.oneof(fc.constant(null), fc.record({ atMs: fc.integer(), id: text })),
});

test('every content survives a cursor', { tags: 'exhaustive', timeout }, () => {
  fc.assert(
    fc.property(content, (given) => {
      expect(cursors.decode(cursors.encode(given))).toEqual(given);
    }),
    options,
  );
});

test('no text but a cursor decodes', { timeout }, () => {
  const any = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  );
  fc.assert(
    fc.property(any, (given) => {
      expect(cursors.decode(given)).toBeNull();
    }),
    options,
  );
});

test('a cursor with altered bytes does not decode, compressed ones included', { tags: 'exhaustive', timeout }, () => {
  fc.assert(
    fc.property(
      content,
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      (given, position, change, truncated) => {
        const bytes = Buffer.from(cursors.encode(given), 'base64url');
        const at = position % bytes.length;
        bytes[at] = (bytes[at] as number) ^ change;
        const altered = truncated ? bytes.subarray(0, at) : bytes;
        expect(cursors.decode(altered.toString('base64url'))).toBeNull();
      },
    ),
    options,
  );
});

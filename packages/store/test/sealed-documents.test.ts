import { createHash, randomUUID } from 'node:crypto';
import { crc32, gunzipSync } from 'node:zlib';
import { auditLogEvent, formatEvent, lineMembers } from '@tenantscope/contract';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { combineCrc, gzipPieces, type Piece, sealedBody } from '../src/read/gzip-pieces.ts';
import { DocumentFrame } from '../src/read/log/document-frame.ts';
import { splitBlock } from '../src/read/log/sealed-blocks.ts';
import { PieceCodec } from '../src/resource/piece-codec.ts';
import {
  areSealedDocuments,
  openPart,
  readParts,
  sealDocuments,
  sealedLevel,
} from '../src/resource/sealed-documents.ts';

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';
const seal = (...documents: readonly (Buffer | string)[]) => sealDocuments(join(documents), codec);
const codec = new PieceCodec(sealedLevel);
afterAll(() => codec[Symbol.dispose]());
const join = (documents: readonly (Buffer | string)[]) => {
  let end = -1;
  const buffers = documents.map((document) => Buffer.from(document));
  return {
    text: Buffer.concat(buffers.flatMap((buffer, index) => (index === 0 ? [buffer] : [Buffer.from(','), buffer]))),
    ends: buffers.map(({ length }) => (end += 1 + length)),
  };
};
const bytes = fc.uint8Array({ maxLength: 2_000 }).map((values) => Buffer.from(values));

test('the CRC of two texts is that of both together', () => {
  fc.assert(
    fc.property(bytes, bytes, (first, second) => {
      expect(combineCrc(crc32(first), crc32(second), second.length)).toBe(crc32(Buffer.concat([first, second])));
    }),
  );
  const long = Buffer.alloc((1 << 24) + 1, 'tenantscope');
  expect(combineCrc(crc32(long), crc32(long), long.length)).toBe(crc32(long, crc32(long)));
});

test('stored and other pieces in any order are one gzip member with their text', async () => {
  const pieces = fc.array(fc.tuple(bytes, fc.boolean()), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(pieces, async (chosen) => {
      const parts = await Promise.all(
        chosen.map(async ([text, isSealed]): Promise<Piece[]> => (isSealed ? readParts(await seal(text)) : [text])),
      );
      const body = sealedBody(parts.flat());
      const text = Buffer.concat(chosen.map(([part]) => part));
      expect(gunzipSync(await body.gzip())).toEqual(text);
      expect(body.text()).toEqual(text);
      expect(body.length).toBe(text.length);
    }),
  );
  expect(gunzipSync(await gzipPieces([]))).toHaveLength(0);
});

/** What is read of documents with one bit flipped, by the number of the bit; null where it is refused. */
async function readDamaged(text: Buffer): Promise<(Buffer | null)[]> {
  const [part] = readParts(await seal(text));
  if (part === undefined) throw new Error('a document is in no part');
  expect(openPart(part)).toEqual(text);
  expect(() => openPart({ ...part, deflated: part.deflated.subarray(0, -9) })).toThrow();
  return Array.from({ length: part.deflated.length * 8 }, (_, bit) => {
    const deflated = Buffer.from(part.deflated);
    deflated.writeUInt8(deflated.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    try {
      return openPart({ ...part, deflated });
    } catch {
      return null;
    }
  });
}

test('documents with any bit flipped are refused or have their text', async () => {
  // In 4 of 60 random texts a flip in the code of a distance led to another occurrence of the same characters.
  const text = Buffer.from(
    JSON.stringify(Array.from({ length: 10 }, (_, number) => createHash('sha256').update(`${number}`).digest('hex'))),
  );
  const read = await readDamaged(text);
  expect(read.filter((found) => found?.equals(text) === false)).toEqual([]);
});

test('of documents without a repetition only bits that change nothing can be flipped', async () => {
  // 95 characters of which each occurs once are a block of literals with fixed codes (RFC 1951): 3 + 95 * 8 + 7 bits.
  const end = 3 + 95 * 8 + 7;
  const read = await readDamaged(Buffer.from(Array.from({ length: 95 }, (_, index) => 32 + index)));
  const harmless = [...read.keys()].filter((bit) => read[bit] !== null);
  // An empty stored block follows: three bits, five unused ones up to the byte's end, four bytes of length.
  expect(read).toHaveLength(Math.ceil((end + 3) / 8) * 8 + 32);
  const isLast = 0;
  const isLastEmpty = end;
  // With it the empty block has fixed codes, and is as empty; with the next one its codes are missing.
  const lowBitOfType = end + 1;
  const unused = [end + 3, end + 4, end + 5];
  expect(harmless).toEqual([isLast, isLastEmpty, lowBitOfType, ...unused]);
});

/** The parts of a block of documents that were written when events had so many members. */
const sealRows = async (documents: readonly string[], members: number, ordinals: readonly number[] | null = null) =>
  splitBlock(await seal(...documents), { members, ordinals });

const times = { occurredAt: '2026-11-01T00:00:00.000Z', discoveredAt: '2026-11-01T00:00:01.000Z' };
const writeEvents = (members: number, count = 3) =>
  Array.from({ length: count }, (_, number) =>
    formatEvent({ id: randomUUID(), ...times, tenantId }, `"a ${number}"${'\n'.repeat(members - 1)}"ü"`),
  );

test('members that were added after a block was sealed are null in its documents', async () => {
  // Those before the tenant, which is no line, are in every document.
  const first = Object.keys(auditLogEvent.shape).indexOf('tenantId') - 2;
  for (let members = first; members < lineMembers.length; members++) {
    const now = writeEvents(members);
    const added = lineMembers.slice(members).map((name) => `,"${name}":${name === 'truncated' ? false : null}`);
    const then = now.map((document) => {
      expect(document.endsWith(`${added.join('')}}`)).toBe(true);
      return `${document.slice(0, -added.join('').length - 1)}}`;
    });
    for (const [isAscending, expected] of [
      [true, now],
      [false, now.toReversed()],
    ] as const) {
      const frame = new DocumentFrame(tenantId, 10);
      const parts = await sealRows(then, members);
      for (const part of isAscending ? parts : parts.toReversed()) frame.addSealed(part, isAscending);
      expect([...frame.page().documents()].map(String)).toEqual(expected);
      expect(String(frame.page().close('}'))).toBe(`{"data":[${expected.join(',')}]}`);
    }
  }
});

test('a page of any rows of a block has each of them once, in its order, as stored bytes and from its text', async () => {
  const events = writeEvents(5, 200);
  const rows = fc.oneof(
    fc.constant(null),
    fc.subarray(events.map((_, index) => index)),
    fc.tuple(fc.nat(199), fc.nat(199)).map(([one, other]) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      return Array.from({ length: to - from + 1 }, (_, index) => from + index);
    }),
  );
  const sealed = await seal(...events);
  const sealedRows = (ordinals: readonly number[] | null) =>
    splitBlock(sealed, { members: lineMembers.length, ordinals });
  await fc.assert(
    fc.asyncProperty(
      rows,
      rows,
      fc.integer({ min: 1, max: 450 }),
      fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 500_000 })),
      fc.boolean(),
      async (first, second, limit, maxBytes, isAscending) => {
        const frame = new DocumentFrame(tenantId, limit, maxBytes);
        for (const ordinals of [first, second]) {
          const parts = sealedRows(ordinals);
          for (const part of isAscending ? parts : parts.toReversed())
            if (!frame.isFull()) frame.addSealed(part, isAscending);
        }
        const all = [first, second].flatMap((ordinals) => {
          const chosen = ordinals === null ? events : ordinals.map((ordinal) => events[ordinal] as string);
          return isAscending ? chosen : chosen.toReversed();
        });
        const page = frame.page();
        const expected = all.slice(0, Math.min(limit, page.count));
        expect([...page.documents()].map(String)).toEqual(expected);
        expect([page.count, page.hasMore]).toEqual([expected.length, all.length > expected.length]);
        expect(page.count > 0).toBe(all.length > 0);
        expect(page.last?.id).toBe(expected.length === 0 ? undefined : JSON.parse(expected.at(-1) ?? '').id);
        const body = page.close('}');
        const text = Buffer.isBuffer(body) ? body : gunzipSync(await body.gzip());
        expect(text.toString()).toBe(`{"data":[${expected.join(',')}]}`);
        if (page.count > 1) expect(text.length).toBeLessThanOrEqual(maxBytes + 2);
        // The length of a document is estimated before it is written.
        if (page.count < Math.min(limit, all.length))
          expect(text.length + (all[page.count] as string).length + 4_096).toBeGreaterThan(maxBytes);
      },
    ),
    { numRuns: 60 },
  );
  const frame = new DocumentFrame(tenantId, 200);
  for (const part of sealedRows(null)) frame.addSealed(part, true);
  expect(Buffer.isBuffer(frame.page().close('}'))).toBe(false);
});

test('sealed documents differ from others by a byte, an end, a document or their order', async () => {
  const events = writeEvents(5, 150);
  const sealed = await seal(...events);
  expect(await areSealedDocuments(sealed, join(events), codec)).toBe(true);
  const [first, second, ...others] = events as [string, string, ...string[]];
  for (const different of [
    [second, first, ...others],
    events.slice(0, -1),
    [...events, first],
    [`${first},${second}`, ...others],
    [...events.slice(0, -1), `${events.at(-1)} `],
    [first.replace('"a 0"', '"a 1"'), second, ...others],
  ])
    expect(await areSealedDocuments(sealed, join(different), codec), different[0]).toBe(false);
  const text = join(events);
  expect(
    await areSealedDocuments(sealed, { ...text, ends: text.ends.with(70, (text.ends[70] as number) - 1) }, codec),
  ).toBe(false);
});

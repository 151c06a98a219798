import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packRawTexts, readRawText, unpackFrames } from '../src/ingest/row/raw-texts.ts';
import { compressBlock, compressContent, type RawEntry, readFromBlock } from '../src/resource/raw-block.ts';

const json = fc.json({ maxDepth: 2 }).map((text) => Buffer.from(text));
const frame = fc.record({ before: json, after: json });
const frames = fc.array(frame, { minLength: 1, maxLength: 12 });

/** Records of which some share a frame. */
const entries = frames.chain((shared) =>
  fc.array(
    fc
      .record({ text: json, frame: fc.oneof(fc.constant(null), fc.constantFrom(...shared)) })
      .map((source): RawEntry => ({ ...source, id: randomUUID() })),
    { minLength: 1, maxLength: 40 },
  ),
);

const textOf = ({ text, frame }: Pick<RawEntry, 'text' | 'frame'>): string =>
  Buffer.concat([frame?.before ?? Buffer.alloc(0), text, frame?.after ?? Buffer.alloc(0)]).toString();

test('a block returns every record that was put into it and no other', { tags: 'exhaustive' }, async () => {
  await fc.assert(
    fc.asyncProperty(entries, async (records) => {
      const content = await compressBlock(records);
      for (const record of records) expect(String(await readFromBlock(content, record.id))).toBe(textOf(record));
      expect(await readFromBlock(content, randomUUID())).toBeNull();
    }),
  );
});

test('packed texts are the texts and frames that were packed', () => {
  fc.assert(
    fc.property(entries, (records) => {
      const packed = packRawTexts(
        records,
        records.map(({ id }) => id),
      );
      const unpacked = unpackFrames(packed);
      expect(unpacked.length).toBe(new Set(records.flatMap(({ frame }) => frame ?? [])).size);
      records.forEach((record, line) => {
        const text = readRawText(packed, line);
        expect(textOf({ text, frame: unpacked[packed.frameIndexes[line] ?? -1] ?? null })).toBe(textOf(record));
      });
    }),
  );
});

test('packed texts without frames are the content of a block', async () => {
  const records = ['{}', '{"a":"é"}', '[1]'].map(
    (text): RawEntry => ({ id: randomUUID(), text: Buffer.from(text), frame: null }),
  );
  const packed = packRawTexts(
    records,
    records.map(({ id }) => id),
  );
  const content = await compressContent(Buffer.from(packed.bytes));
  expect(content).toEqual(await compressBlock(records));
  for (const record of records) expect(String(await readFromBlock(content, record.id))).toBe(textOf(record));
});

// @module-tag exhaustive
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { peekStream } from '../src/input/container/peek.ts';
import { detectInputKind, headBytes, type InputKind, readRecords } from '../src/input/record/record-reader.ts';

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(input: string | Buffer, kind: InputKind | null = null, chunkSize = 65_536) {
  const stream = await peekStream(inChunks(Buffer.from(input), chunkSize), headBytes);
  const { records, end, kind: found } = readRecords('file', stream, kind);
  const read = await Array.fromAsync(records);
  return { kind: found, end, records: read.map(({ bytes, length }) => bytes?.toString('utf8') ?? length) };
}

test.each<[InputKind, string]>([
  ['ndjson', '{"a":1}\n{"a":2}\n'],
  ['ndjson', '\ufeff\n\n{"a":1}'],
  ['ndjson', '{"Operation":"truncated\n{"a":1}\n'],
  ['ndjson', 'not json, at all\n'],
  ['ndjson', ''],
  ['ndjson', '{"value":[{"a":1}]}\n{"value":[]}\n'],
  ['json', '[{"a":1},{"a":2}]'],
  ['json', '  \n[\n  {"a":1}\n]'],
  ['json', '{\n  "a": 1\n}\n{\n  "a": 2\n}\n'],
  ['json', '{"value": [\n{"a":1}]}'],
  ['csv', '\ufeffRecordId,CreationDate,RecordType,Operation,UserId,AuditData,AssociatedAdminUnits\r\n'],
  ['csv', 'CreationDate,UserIds,Operations,"AuditData"\n'],
])('the kind %s is detected by %j', (kind, text) => {
  expect(detectInputKind(Buffer.from(text), true)).toBe(kind);
});

test('a long first line is a document, a long later line is not', () => {
  expect(detectInputKind(Buffer.from(`{"a":"${'x'.repeat(2_000_000)}`).subarray(0, headBytes), false)).toBe('json');
  expect(detectInputKind(Buffer.from(`{"a":1}\n{"a":"${'x'.repeat(2_000_000)}`).subarray(0, headBytes), false)).toBe(
    'ndjson',
  );
});

test('JSON arrays and documents are split into their bytes, however chunks fall', async () => {
  const value = fc.jsonValue({ maxDepth: 3 }).filter((one) => typeof one === 'object' || typeof one === 'string');
  const space = fc.constantFrom('', ' ', '\n', '\r\n\t ');
  await fc.assert(
    fc.asyncProperty(fc.array(value), space, fc.integer({ min: 1, max: 40 }), async (values, gap, chunkSize) => {
      const texts = values.map((one) => JSON.stringify(one));
      const array = `${gap}[${gap}${texts.join(`${gap},${gap}`)}${gap}]${gap}`;
      expect(await read(array, 'json', chunkSize)).toEqual({
        kind: 'json',
        end: { isTruncated: false },
        records: texts,
      });
    }),
    { numRuns: 300 },
  );
});

test('numbers, literals and strings in arrays, and several documents, are records', async () => {
  expect((await read('[1, true,null ,"a]" , -2.5e3,{"b":"}"}]', 'json')).records).toEqual([
    '1',
    'true',
    'null',
    '"a]"',
    '-2.5e3',
    '{"b":"}"}',
  ]);
  expect((await read('{"a":1}{"b":[1]}\n[{"c":"\\"]"}]\n[[2],3]', 'json', 3)).records).toEqual([
    '{"a":1}',
    '{"b":[1]}',
    '{"c":"\\"]"}',
    '[2]',
    '3',
  ]);
});

test.each([
  ['[{"a":1},{"b":"tr', ['{"a":1}', '{"b":"tr']],
  ['[{"a":1},', ['{"a":1}']],
  ['[{"a":1},{"b":[', ['{"a":1}', '{"b":[']],
  ['[', []],
])('a truncated document %j is reported with its last record', async (text, records) => {
  expect(await read(text, 'json', 4)).toEqual({ kind: 'json', end: { isTruncated: true }, records });
});

test('an element over the limit is dropped and counted, and its neighbors are read', async () => {
  const long = `{"a":"${'x'.repeat(3_000_000)}"}`;
  const { records } = await read(`[{"a":1},${long},{"a":3}]`);
  expect(records).toEqual(['{"a":1}', long.length, '{"a":3}']);
});

test('a page is one record up to the limit, and beyond it its elements', async () => {
  const record = JSON.stringify({ id: 'x', value: ['not the list'], text: '"value":[' });
  const page = (count: number) =>
    `{"@odata.context":"[{","nested":{"value":[0]},"value":[${Array(count).fill(record).join(',\n')}],"@odata.nextLink":"x]}","more":{"a":[1]}}`;
  expect((await read(page(3))).records).toEqual([page(3)]);
  const large = await read(`${page(30_000)}\n{"last":1}`, null, 10_007);
  expect(large.kind).toBe('json');
  expect(large.end.isTruncated).toBe(false);
  expect(large.records.length).toBe(30_001);
  expect(new Set(large.records)).toEqual(new Set([record, '{"last":1}']));
});

test('a large object without a list is refused, not split', async () => {
  const object = `{"other":["${'x'.repeat(2_000_000)}"]}`;
  expect((await read(object)).records).toEqual([object.length]);
});

test('CSV exports give the text of their column AuditData, byte for byte', async () => {
  const records = ['{"Id":"1","Operation":"a,b"}', '{"Id":"2","x":"line\nbreak","é":"ü"}', '{"Id":"3"}'];
  const quoted = records.map((text) => `"${text.replaceAll('"', '""')}"`);
  const csv = `\ufeffRecordId,CreationDate,AuditData,Last\r\n1,"2026-11-01",${quoted[0]},\r\n2,x,${quoted[1]},"a ""b"""\r\n3,,${quoted[2]}`;
  for (const chunkSize of [1, 7, 65_536])
    expect(await read(csv, null, chunkSize)).toEqual({ kind: 'csv', end: { isTruncated: false }, records });
});

test.each([';', '\t'])('CSV that a spreadsheet saved with %j gives the same texts', async (separator) => {
  const records = ['{"Id":"1","Operation":"a;b\tc,d"}', '{"Id":"2"}'];
  const rows = records.map((text, index) => ['1,5', `"${text.replaceAll('"', '""')}"`, index].join(separator));
  const csv = [['RecordId', 'AuditData', 'Last'].join(separator), ...rows].join('\r\n');
  expect(await read(csv)).toEqual({ kind: 'csv', end: { isTruncated: false }, records });
});

test('a CSV row without a record is a record that cannot be read, and an unclosed quote ends at the limit', async () => {
  expect((await read('Id,AuditData\n1\n\n2,""\n3,{"a":1}\n')).records).toEqual(['1', '', '2,""', '{"a":1}']);
  const { records } = await read(`Id,AuditData\n1,{}\n2,"${'{},\n'.repeat(500_000)}`);
  expect(records[0]).toBe('{}');
  expect(records[1]).toBeGreaterThan(1_048_576);
  expect(records.length).toBe(2);
});

test('any bytes are split without an error and without loss of lines', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom<InputKind>('ndjson', 'json'),
      async (bytes, kind) => {
        const { records } = await read(Buffer.from(bytes), kind, 13).catch((error: Error) => {
          expect(error.message).toMatch(/UTF-16/);
          return { records: [] };
        });
        expect(Array.isArray(records)).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test('a CSV file without the column AuditData is refused', async () => {
  await expect(read('a,b\n1,2\n', 'csv')).rejects.toThrow(/no column AuditData/);
});

test('an array and a page are read as streams: a record is given before the next chunk is read', async () => {
  const record = JSON.stringify({ id: 1, pad: 'x'.repeat(1_000) });
  for (const [before, after] of [
    ['[', ']'],
    ['{"@odata.context":"c","value":[', '],"next":1}'],
  ]) {
    let chunks = 0;
    async function* produce() {
      yield Buffer.from(String(before));
      for (; chunks < 3_000; chunks++) yield Buffer.from(`${record},`);
      yield Buffer.from(`${record}${after}`);
    }
    const stream = await peekStream(produce(), headBytes);
    const ahead = chunks;
    let records = 0;
    let furthest = 0;
    for await (const { bytes } of readRecords('file', stream, null).records) {
      records += 1;
      furthest = Math.max(furthest, chunks - records);
      expect(bytes?.length).toBe(record.length);
    }
    expect(records).toBe(3_001);
    expect(furthest).toBeLessThanOrEqual(ahead);
  }
});

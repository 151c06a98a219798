import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBlank, readLines } from '../src/input/record/line-reader.ts';

async function* chunked(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (const size of sizes) {
    yield bytes.subarray(from, from + size);
    from += size;
  }
  yield bytes.subarray(from);
}

async function linesOf(bytes: Buffer, sizes: readonly number[] = [], maxBytes = 100) {
  const lines = [];
  for await (const { number, bytes: line, length } of readLines(chunked(bytes, sizes), maxBytes)) {
    lines.push([number, line?.toString('latin1') ?? null, length] as const);
  }
  return lines;
}

const text = (content: string, ...sizes: number[]) => linesOf(Buffer.from(content, 'latin1'), sizes);

test('lines end with LF or CR LF, and the last line may end with the file', async () => {
  expect(await text('a\r\nb\n\nc')).toEqual([
    [1, 'a', 1],
    [2, 'b', 1],
    [3, '', 0],
    [4, 'c', 1],
  ]);
  expect(await text('')).toEqual([]);
  expect(await text('a\n')).toEqual([[1, 'a', 1]]);
});

test('a byte order mark belongs to no record, however the chunks are split', async () => {
  for (const size of [0, 1, 2, 3, 4])
    expect(await text('\xef\xbb\xbfa\nb', size)).toEqual([
      [1, 'a', 1],
      [2, 'b', 1],
    ]);
  expect(await text('a\n\xef\xbb\xbfb')).toEqual([
    [1, 'a', 1],
    [2, '\xef\xbb\xbfb', 4],
  ]);
});

test('a line of the maximum length passes, a longer one is counted and dropped, and the next line is complete', async () => {
  const [exact, more] = ['x'.repeat(100), 'x'.repeat(101)];
  expect(await text(`${exact}\r\n${more}\n${'y'.repeat(1_000)}\nz`, 40, 70, 300)).toEqual([
    [1, exact, 100],
    [2, null, 101],
    [3, null, 1_000],
    [4, 'z', 1],
  ]);
});

test('reading any bytes in any chunks gives the same lines as splitting the whole', async () => {
  const byte = fc.oneof(fc.constantFrom(0x0a, 0x0d, 0x20), fc.integer({ min: 0, max: 255 }));
  const sizes = fc.array(fc.integer({ min: 0, max: 40 }));
  await fc.assert(
    fc.asyncProperty(fc.array(byte, { maxLength: 400 }), sizes, async (bytes, sizes) => {
      const whole = Buffer.from(bytes);
      const parts = whole
        .toString('latin1')
        .replace(/^\xef\xbb\xbf/, '')
        .split('\n');
      if (parts.at(-1) === '') parts.pop();
      const lines = await linesOf(whole, sizes, 1_000);
      expect(lines.map(([, line]) => line)).toEqual(parts.map((part) => part.replace(/\r$/, '')));
      expect(lines.map(([number]) => number)).toEqual(parts.map((_, index) => index + 1));
    }),
  );
});

test('a line with only white space is blank', () => {
  expect([' ', '\t\v\f\r', ''].map((line) => isBlank(Buffer.from(line)))).toEqual([true, true, true]);
  expect(['0', ' {', '\u00a0'].map((line) => isBlank(Buffer.from(line)))).toEqual([false, false, false]);
});

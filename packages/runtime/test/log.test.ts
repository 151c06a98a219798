import { expect, test, vi } from 'vitest';
import { createLog, type Log } from '../src/index.ts';

/** What a process writes to standard output. */
function outputOf(write: (log: Log) => void): string {
  let text = '';
  const output = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    write(createLog({ name: 'test' }));
  } finally {
    output.mockRestore();
  }
  return text;
}

test.each([
  ['line breaks', 'a\nb\r\nc\u2028d\u2029e\u0085f'],
  ['a forged line', '"}\n{"level":50,"time":"2026-01-01T00:00:00.000Z","msg":"forged"}'],
  ['terminal control sequences', '\u001b[2J\u001b]0;title\u0007\u009b31m\b\u007f\0'],
  ['format specifiers', '%s %d %i %f %j %o %O %c %%'],
  ['characters that change the order of text', '\u202eabc\u2066'],
  ['lone surrogates', '\ud800 \udfff'],
])('hostile text with %s is one line of JSON, in a field, in the message and in an error', (_, text) => {
  const output = outputOf((log) => log.warn({ text, err: new Error(text) }, text));
  expect(output.endsWith('\n')).toBe(true);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may reach a terminal
  expect(output.slice(0, -1)).not.toMatch(/[\u0000-\u001f]/);
  const line = JSON.parse(output);
  expect(line).toMatchObject({ level: 40, name: 'test' });
  for (const written of [line.text, line.msg, line.err.message])
    expect(written.toWellFormed()).toBe(text.toWellFormed());
});

test('the time of a line is in milliseconds of UTC', () => {
  const before = Date.now();
  const { time } = JSON.parse(outputOf((log) => log.info('started')));
  expect(Number.isInteger(time) && time >= before && time <= Date.now()).toBe(true);
});

import { expect, test } from 'vitest';
import { formatLogLine } from '../src/start/terminal.ts';

const line = (entry: object) => JSON.stringify({ time: 1, pid: 2, hostname: 'h', name: 'api', ...entry });

test('a log line shows its message, then its other fields', () => {
  const entry = line({ level: 30, msg: 'listening', port: 8080, topics: ['a', 'b'], note: 'two words' });
  expect(formatLogLine(entry)).toBe('listening  port=8080  topics=["a","b"]  note="two words"');
});

test('a warning shows the message of its error, an error also the stack', () => {
  const err = { message: 'no answer', stack: 'Error: no answer\n    at place' };
  expect(formatLogLine(line({ level: 40, msg: 'trying again', err }))).toBe('warning: trying again  no answer');
  expect(formatLogLine(line({ level: 60, msg: 'crashed', err }))).toBe(
    'fatal: crashed  Error: no answer\n    at place',
  );
});

test('a line that is not a log entry is unchanged', () => {
  for (const text of ['plain words', '{ not json', '{"json":"but no level"}', ''])
    expect(formatLogLine(text)).toBe(text);
});

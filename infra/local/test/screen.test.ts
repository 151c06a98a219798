import { expect, test } from 'vitest';
import { readable } from '../src/start/screen.ts';

const line = (entry: object) => JSON.stringify({ time: 1, pid: 2, hostname: 'h', name: 'api', ...entry });

test('a line of a process is its message, then what stands beside it', () => {
  const entry = line({ level: 30, msg: 'listening', port: 8080, topics: ['a', 'b'], note: 'two words' });
  expect(readable(entry)).toBe('listening  port=8080  topics=["a","b"]  note="two words"');
});

test('a warning tells the error it copes with, an error also where it was met', () => {
  const err = { message: 'no answer', stack: 'Error: no answer\n    at place' };
  expect(readable(line({ level: 40, msg: 'trying again', err }))).toBe('warning: trying again  no answer');
  expect(readable(line({ level: 60, msg: 'crashed', err }))).toBe('fatal: crashed  Error: no answer\n    at place');
});

test('what is no line of a log stays as it is', () => {
  for (const text of ['plain words', '{ not json', '{"json":"but no level"}', '']) expect(readable(text)).toBe(text);
});

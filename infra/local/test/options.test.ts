import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readOptions } from '../src/start/options.ts';

test('each word does what it says', () => {
  const given = readOptions(['--port', '9000', '--no-demo', '--data', 'elsewhere']);
  expect(given).toEqual({ port: 9000, demo: false, directory: resolve('elsewhere') });
  expect(readOptions([])).toMatchObject({ port: 8080, demo: true });
});

test.each([['--port', 'http'], ['--port', '70000'], ['--prot', '9000'], ['9000']])('%s %s is refused', (...words) => {
  expect(() => readOptions(words)).toThrow();
});

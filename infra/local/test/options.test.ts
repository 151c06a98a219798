import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseStartOptions } from '../src/start/options.ts';

test('the options are parsed, with defaults for the others', () => {
  const options = parseStartOptions(['--port', '9000', '--no-demo', '--data', 'elsewhere']);
  expect(options).toEqual({ port: 9000, demo: false, directory: resolve('elsewhere'), watch: false });
  expect(parseStartOptions([])).toMatchObject({ port: 8080, demo: true });
});

test.each([['--port', 'http'], ['--port', '70000'], ['--prot', '9000'], ['9000']])('%s %s is rejected', (...args) => {
  expect(() => parseStartOptions(args)).toThrow();
});

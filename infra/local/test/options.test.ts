import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from '../src/checkout.ts';
import { parseStartOptions } from '../src/start/options.ts';

test('the options are parsed, with defaults for the others', () => {
  const options = parseStartOptions(['--port', '9000', '--no-demo', '--data', 'elsewhere']);
  expect(options).toEqual({ port: 9000, demo: false, directory: resolve('elsewhere'), watch: false });
  expect(parseStartOptions([])).toMatchObject({ port: 8080, demo: true });
});

test.each([['--port', 'http'], ['--port', '70000'], ['--prot', '9000'], ['9000']])('%s %s is rejected', (...args) => {
  expect(() => parseStartOptions(args)).toThrow();
});

test.each([
  ['infra/local/src/torture.ts', ['--list'], "Unknown option '--list'"],
  ['infra/local/src/check.ts', ['packages'], "Unexpected argument 'packages'"],
  ['test/bench/main.ts', ['--rows', 'many'], '--rows many: must be a positive number'],
  ['test/bench/main.ts', ['writes'], 'unknown benchmark writes'],
])(
  '%s with the arguments %j ends with status 2, and shows its usage',
  { tags: 'exhaustive' },
  (script, args, error) => {
    const { status, stderr } = spawnSync(process.execPath, [join(checkout, script), ...args], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(error) });
    expect(stderr).toMatch(/\n\nnpm run (torture|check|bench)/);
  },
);

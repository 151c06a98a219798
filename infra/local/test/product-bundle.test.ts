import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { buildProductBundle, type ProductPrograms, sourcePrograms } from '../src/product-bundle.ts';

let bundle: ProductPrograms;
beforeAll(async () => {
  bundle = await buildProductBundle();
}, 120_000);

const run = async (program: string, ...args: string[]) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH },
  });
  return { stdout, stderr };
};

test.each(['api', 'ingest', 'jobs', 'console', 'collect'] as const)(
  'the bundled %s has the configuration of its sources',
  { tags: 'exhaustive', timeout: 120_000 },
  async (name) => {
    const [bundled, source] = [bundle.program(name), sourcePrograms.program(name)];
    const failure = (program: string) => run(program, '--print-config').catch(({ code, stderr }) => ({ code, stderr }));
    expect(await failure(bundled)).toEqual(await failure(source));
  },
);

test('the bundled command line has the commands of its sources, and threads are files of the bundle', {
  tags: 'exhaustive',
  timeout: 120_000,
}, async () => {
  const [bundled, source] = [bundle.program('cli'), sourcePrograms.program('cli')];
  expect(await run(bundled, '--help')).toEqual(await run(source, '--help'));
  // The thread that prepares rows is a file of the bundle, next to the program that starts it.
  expect(existsSync(join(dirname(bundled), 'ingest', 'prepare-worker.mjs'))).toBe(true);
});

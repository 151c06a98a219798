import { mkdir, mkdtemp, readdir, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { provideBuild } from '../src/build-directory.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-build-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Two files, written one after the other, which name the build they belong to. */
const buildPages = (name: string) => async (output: string) => {
  await writeFile(join(output, 'index.html'), name);
  await setImmediate();
  await writeFile(join(output, 'script.js'), name);
};

test('a name is built once', async () => {
  expect(await provideBuild(directory, 'a', buildPages('a'))).toBe(true);
  expect(await provideBuild(directory, 'a', buildPages('never'))).toBe(false);
  expect(await readFile(join(directory, 'current', 'script.js'), 'utf8')).toBe('a');
});

test('concurrent builds of several sources never show an incomplete or a mixed build', {
  tags: 'exhaustive',
}, async () => {
  await provideBuild(directory, 'first', buildPages('first'));
  let isBuilding = true;
  let reads = 0;
  const readWhileBuilding = async () => {
    for (; isBuilding; reads += 1) {
      const opened = await realpath(join(directory, 'current'));
      const [page, script] = await Promise.all(
        ['index.html', 'script.js'].map((file) => readFile(join(opened, file), 'utf8')),
      );
      expect(page).toBe(script);
    }
  };
  const reading = readWhileBuilding();
  for (let round = 0; round < 20; round += 1)
    await Promise.all(
      ['x', 'x', 'y', 'z'].map((source) => provideBuild(directory, source + round, buildPages(source + round))),
    );
  isBuilding = false;
  await reading;
  expect(reads).toBeGreaterThan(0);
  // A server that started with an earlier build still finds its files.
  expect(await readFile(join(directory, 'first', 'script.js'), 'utf8')).toBe('first');
  expect((await readdir(directory)).filter((name) => name.startsWith('incomplete'))).toEqual([]);
});

test('the previous build stays in place when a build fails, and the build can be repeated', async () => {
  await provideBuild(directory, 'a', buildPages('a'));
  const failing = provideBuild(directory, 'b', async (output) => {
    await writeFile(join(output, 'index.html'), 'b');
    throw new Error('syntax error');
  });
  await expect(failing).rejects.toThrow('syntax error');
  expect(await readFile(join(directory, 'current', 'index.html'), 'utf8')).toBe('a');
  expect(await readdir(directory)).toEqual(['a', 'current']);
  expect(await provideBuild(directory, 'b', buildPages('b'))).toBe(true);
});

test('builds and remains of interrupted ones are deleted after a week without use', async () => {
  const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000);
  for (const name of ['old', 'incomplete-old', 'recent']) {
    await mkdir(join(directory, name));
    if (name !== 'recent') await utimes(join(directory, name), eightDaysAgo, eightDaysAgo);
  }
  await provideBuild(directory, 'new', buildPages('new'));
  expect((await readdir(directory)).sort()).toEqual(['current', 'new', 'recent']);
});

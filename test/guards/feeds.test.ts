// @module-tag torture
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { feedNames } from '@tenantscope/contract';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const checkout = join(import.meta.dirname, '..', '..');
/** Files with a map that has a line for each feed, table or topic of records. They are checked, with what they import. */
const maps = [
  'packages/store/src/resource/record-tables.ts',
  'packages/intake/src/read-records.ts',
  'apps/ingest/src/record/source-progress.ts',
  'apps/console/web/labels/en/feeds.ts',
] as const;
/** Maps of feeds which import so little that a check takes 0.8 s of CPU time instead of 1.5. */
const mapsOfFeeds = [maps[0], maps[3]];
const beginningOfMap = /Record<Record\w+, .*> = \{\n|^ {4}names: \{\n/m;
const declarations = 'packages/contract/src/feed/feeds.ts';

let copy: string;

/** Creates a copy of the sources in which our packages resolve to the copy and libraries to the checkout. */
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'tenantscope-feeds-'));
  await symlink(join(checkout, 'node_modules'), join(copy, 'node_modules'));
  const isSource = (path: string) => !/\/(node_modules|dist|test)$/.test(path);
  for (const folder of ['packages', 'apps/ingest', 'apps/console/web/labels'])
    await cp(join(checkout, folder), join(copy, folder), { recursive: true, filter: isSource });
  await cp(join(checkout, 'package.json'), join(copy, 'package.json'));
  const { compilerOptions } = JSON.parse(await readFile(join(checkout, 'tsconfig.json'), 'utf8'));
  const paths = {
    '@tenantscope/*': ['./packages/*/src/index.ts'],
    '@tenantscope/contract/feeds': ['./packages/contract/src/feed/feed-lookup.ts'],
  };
  for (const [project, files] of Object.entries({ maps, mapsOfFeeds }))
    await writeFile(
      join(copy, `${project}.json`),
      JSON.stringify({ compilerOptions: { ...compilerOptions, paths }, files }),
    );
});

afterAll(() => rm(copy, { recursive: true, force: true }));

afterEach(async () => {
  for (const file of [declarations, ...maps]) await cp(join(checkout, file), join(copy, file));
});

test('the copy has no type errors', async () => {
  expect(await listTypeErrors('maps')).toEqual([]);
});

test.each(feedNames)('removing the feed %s fails the type check', async (name) => {
  const text = await readFile(join(copy, declarations), 'utf8');
  const value = new RegExp(`^  ${name}: \\{\\n(?:    .*\\n)*  \\},\\n`, 'm');
  expect(text).toMatch(value);
  await writeFile(join(copy, declarations), text.replace(value, ''));
  expect(await listTypeErrors('mapsOfFeeds')).not.toEqual([]);
});

test('removing any line of a map of feeds, record tables or topics fails the type check', {
  timeout: 600_000,
}, async () => {
  const entries = await Promise.all(maps.map(listEntries));
  const passes = Math.max(...entries.map(({ length }) => length));
  expect(passes).toBeGreaterThanOrEqual(7);
  for (let pass = 0; pass < passes; pass++) {
    const removed = maps.flatMap((file, index) => {
      const line = entries[index]?.[pass];
      return line === undefined ? [] : [{ file, line }];
    });
    for (const { file, line } of removed) {
      const text = await readFile(join(checkout, file), 'utf8');
      const start = text.search(beginningOfMap);
      await writeFile(join(copy, file), text.slice(0, start) + text.slice(start).replace(line, ''));
    }
    const errors = await listTypeErrors('maps');
    for (const { file, line } of removed)
      expect(
        errors.some((error) => error.startsWith(file)),
        `${file}: ${line}`,
      ).toBe(true);
  }
});

/** The lines of the map of a file. */
async function listEntries(file: string): Promise<string[]> {
  const [, body = ''] = (await readFile(join(checkout, file), 'utf8')).split(beginningOfMap);
  const entries = body.slice(0, body.search(/^ *\}/m)).match(/^ +\w+: .*,\n/gm) ?? [];
  expect(entries, file).not.toEqual([]);
  return entries;
}

/** Type errors of the copy, one a line, by the path of their file. One checker: four infer the same types four times. */
function listTypeErrors(project: 'maps' | 'mapsOfFeeds'): Promise<string[]> {
  return new Promise((resolve) => {
    execFile(
      join(checkout, 'node_modules', '.bin', 'tsc'),
      ['-p', `${project}.json`, '--checkers', '1'],
      { cwd: copy },
      (_, output) => resolve(output.split('\n').filter((line) => line.includes('error TS'))),
    );
  });
}

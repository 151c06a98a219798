import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generatedFolders, generateFiles } from '@tenantscope/docs';
import { expect, test } from 'vitest';

const checkout = join(import.meta.dirname, '..', '..', '..');
const files = generateFiles();

test.each(files.map(({ path, content }) => [path, content]))(
  '%s is current; otherwise run "npm run docs"',
  async (path, content) => {
    expect(await readFile(join(checkout, path), 'utf8')).toBe(content);
  },
);

test('the generated folders contain no other file', async () => {
  const found = await Promise.all(
    generatedFolders.map(async (folder) => (await readdir(join(checkout, folder))).map((name) => `${folder}/${name}`)),
  );
  const written = files
    .map(({ path }) => path)
    .filter((path) => generatedFolders.some((folder) => path.startsWith(folder)));
  expect(found.flat().sort()).toEqual(written.sort());
});

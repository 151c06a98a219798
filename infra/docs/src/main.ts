import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writtenFiles, writtenFolders } from './written.ts';

// `npm run docs`: everything that is written from the declarations, anew.
const checkout = join(import.meta.dirname, '..', '..', '..');
const files = writtenFiles();
for (const folder of writtenFolders) await rm(join(checkout, folder), { recursive: true, force: true });
for (const { path, content } of files) {
  await mkdir(dirname(join(checkout, path)), { recursive: true });
  await writeFile(join(checkout, path), content);
}
console.log(`${files.length} files written`);

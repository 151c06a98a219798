import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { schemaFile } from '@tenantscope/check';
import { generatedFolders, generateFiles } from './generated-files.ts';
import { generateSchemaFile } from './schema-file.ts';

// `npm run docs`: generates every file that follows from declarations or migrations.
const checkout = join(import.meta.dirname, '..', '..', '..');
const files = [...generateFiles(), { path: schemaFile, content: await generateSchemaFile(checkout) }];
for (const folder of generatedFolders) await rm(join(checkout, folder), { recursive: true, force: true });
for (const { path, content } of files) {
  await mkdir(dirname(join(checkout, path)), { recursive: true });
  await writeFile(join(checkout, path), content);
}
console.log(`${files.length} files written`);

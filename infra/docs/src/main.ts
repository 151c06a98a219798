import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { schemaFile } from '@tenantscope/check';
import { readScriptArguments } from '@tenantscope/local';
import { readExpectedFiles } from './comparison/expected-files.ts';
import { renderComparison } from './comparison/render-comparison.ts';
import { measureCoverage } from './coverage/measure-coverage.ts';
import { renderCoverage } from './coverage/render-coverage.ts';
import { readSharedFiles, sharedRecordsFolder } from './coverage/shared-records.ts';
import { generatedFolders, generateFiles } from './generated-files.ts';
import { generateSchemaFile } from './schema-file.ts';

// `npm run docs`: generates every file that follows from declarations or migrations.
readScriptArguments('npm run docs', {});
const checkout = join(import.meta.dirname, '..', '..', '..');
// The measurement needs published records that are not in the repository; without them the page stays as it is.
const records = readSharedFiles(sharedRecordsFolder);
const expected = readExpectedFiles(sharedRecordsFolder);
const coverage =
  records === null || expected === null
    ? []
    : [{ path: 'docs/coverage.md', content: renderCoverage(measureCoverage(records), renderComparison(expected)) }];
const schema = { path: schemaFile, content: await generateSchemaFile(checkout) };
const files = [...generateFiles(), ...coverage, schema];
for (const folder of generatedFolders) await rm(join(checkout, folder), { recursive: true, force: true });
for (const { path, content } of files) {
  await mkdir(dirname(join(checkout, path)), { recursive: true });
  await writeFile(join(checkout, path), content);
}
console.log(`${files.length} files written`);

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asvsPath, checkAsvs } from './asvs.ts';
import { checkCircles } from './circles.ts';
import { checkDangerousCalls } from './dangerous-calls.ts';
import { checkDocumentReferences, checkTables, collectNames } from './documents.ts';
import { checkFunctionLength } from './function-length.ts';
import { checkSchemaDigest } from './schema-digest.ts';
import { type Finding, readSources } from './sources.ts';
import { checkStoreBoundaries } from './store-boundaries.ts';
import { parseAll } from './syntax.ts';
import { checkTestTitles } from './test-titles.ts';
import { checkDocument, checkFileName, checkSql, checkSyntax } from './vocabulary/check-vocabulary.ts';

// The rules of the code base that no other tool checks: vocabulary, import circles, length of functions,
// test titles, access to the store, dangerous calls, the schema dump, names and tables in documents, the list of ASVS requirements.
// Arguments are path prefixes: only findings below them are listed.
const root = join(import.meta.dirname, '..', '..', '..');
const prefixes = process.argv.slice(2);

const files = readSources(root, '');
const ending = (...endings: string[]) => files.filter(({ path }) => endings.some((end) => path.endsWith(end)));
const { parsed, unreadable } = parseAll(ending('.ts', '.tsx'));
const documents = ending('.md');
const names = collectNames(ending('.ts', '.tsx', '.mjs', '.sql', '.json', '.py', 'alerts.yaml'), [
  ...files.map(({ path }) => path),
  ...readdirSync(root),
]);

const findings: Finding[] = [
  ...unreadable,
  ...files.flatMap(checkFileName),
  ...parsed.flatMap(checkSyntax),
  ...ending('.sql').flatMap(checkSql),
  ...documents.flatMap(checkDocument),
  ...checkCircles(parsed),
  ...parsed.flatMap(checkFunctionLength),
  ...parsed.flatMap(checkTestTitles),
  ...checkStoreBoundaries(parsed),
  ...parsed.flatMap(checkDangerousCalls),
  ...checkSchemaDigest(root),
  ...documents.flatMap((document) => checkDocumentReferences(document, names)),
  ...documents.flatMap(checkTables),
  ...checkAsvs(documents.find(({ path }) => path === asvsPath) ?? null, { tests: names.tests, documents }),
].filter(({ path }) => prefixes.length === 0 || prefixes.some((prefix) => path.startsWith(prefix)));

for (const { path, line, message } of findings) console.log(`${path}:${line} ${message}`);
console.log(`${findings.length} findings in ${files.length} files`);
process.exitCode = findings.length === 0 ? 0 : 1;

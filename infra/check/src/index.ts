export { checkCircles } from './circles.ts';
export { checkDocumentReferences, collectNames } from './documents.ts';
export { checkFunctionLength } from './function-length.ts';
export { checkSchemaDigest, schemaDigestLine, schemaFile } from './schema-digest.ts';
export { type Finding, readSources, type SourceFile } from './sources.ts';
export { checkStoreBoundaries } from './store-boundaries.ts';
export { type ParsedFile, parse } from './syntax.ts';
export { checkTestTitles } from './test-titles.ts';
export { checkDocument, checkFileName, checkSql, checkSyntax } from './vocabulary/check-vocabulary.ts';

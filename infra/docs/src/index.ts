export { type GeneratedFile, generatedFolders, generateFiles } from './generated-files.ts';
export { renderSchemaFile } from './schema.ts';

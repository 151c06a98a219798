import { type Finding, lineAt } from './sources.ts';
import type { ParsedFile } from './syntax.ts';

const store = '@tenantscope/store';

/**
 * Which parts of the store each package may import. The SQL behind compliance requirements is reachable from packages/compliance alone, and no
 * process can write through a part that another process owns. Tests and infra may import any part.
 */
const allowedParts: Readonly<Record<string, readonly string[]>> = {
  'apps/api': ['connection', 'read', 'api-key'],
  'apps/cli': ['connection', 'admin', 'console', 'move', 'restore'],
  'apps/collect': ['connection', 'collect'],
  'apps/console': ['connection', 'console', 'api-key'],
  'apps/ingest': ['connection', 'ingest', 'lane'],
  'apps/jobs': ['connection', 'snapshots', 'receipts', 'lane'],
  'packages/compliance': ['connection', 'compliance'],
};

/** Imports of a part of the store that the importing package may not use; a package without a rule may use none. */
export function checkStoreBoundaries(files: readonly ParsedFile[]): Finding[] {
  return files.flatMap(({ path, text, imports }) => {
    const [area, name] = path.split('/');
    if ((area !== 'apps' && area !== 'packages') || path.startsWith('packages/store/')) return [];
    const allowed = allowedParts[`${area}/${name}`] ?? [];
    return imports
      .filter((specifier) => specifier === store || specifier.startsWith(`${store}/`))
      .filter((specifier) => !allowed.includes(specifier.slice(store.length + 1)))
      .map((specifier) => ({
        path,
        line: lineAt(text, text.indexOf(`'${specifier}'`)),
        message: `${area}/${name} must not import ${specifier}; allowed parts: ${allowed.join(', ') || 'none'}`,
      }));
  });
}

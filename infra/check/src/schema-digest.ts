import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './sources.ts';

/** The generated schema after all migrations, relative to the checkout. Its first line names the migrations it was generated from. */
export const schemaFile = 'migrations/schema.sql';

/** The first line of a schema file that is generated from the migrations as they are. */
export function schemaDigestLine(root: string): string {
  const folder = join(root, 'migrations');
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort())
    if (/^\d{4}_.*\.sql$/.test(name)) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return `-- migrations sha256:${hash.digest('hex')}`;
}

/** A schema file that was generated before the last change of a migration. Whether its content is right, a test with a database checks. */
export function checkSchemaDigest(root: string): Finding[] {
  const file = join(root, schemaFile);
  const current = existsSync(file) && readFileSync(file, 'utf8').startsWith(`${schemaDigestLine(root)}\n`);
  return current ? [] : [{ path: schemaFile, line: 1, message: 'out of date with the migrations: run "npm run docs"' }];
}

import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productVersion } from '@tenantscope/contract';
import { expect, test } from 'vitest';

const checkout = join(import.meta.dirname, '..', '..', '..');

test('every package has the version of the product', async () => {
  const manifests = globSync('{package.json,test/package.json,{apps,packages,infra}/*/package.json}', {
    cwd: checkout,
  });
  expect(manifests.length).toBeGreaterThan(15);
  for (const path of manifests) {
    const { version } = JSON.parse(await readFile(join(checkout, path), 'utf8'));
    expect(version, path).toBe(productVersion);
  }
});

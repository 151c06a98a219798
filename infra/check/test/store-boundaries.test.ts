import { expect, test } from 'vitest';
import { checkStoreBoundaries } from '../src/store-boundaries.ts';
import { parse } from '../src/syntax.ts';

const check = (path: string, text: string) => checkStoreBoundaries([parse({ path, text })]);

test('a package may import the parts of the store that its rule allows', () => {
  expect(check('apps/api/src/a.ts', "import { users } from '@tenantscope/store/read';")).toEqual([]);
  expect(check('packages/compliance/src/a.ts', "import { readMetrics } from '@tenantscope/store/compliance';")).toEqual(
    [],
  );
  expect(check('test/api/a.test.ts', "import { migrate } from '@tenantscope/store/admin';")).toEqual([]);
});

test('an import of another part is found with its line', () => {
  expect(check('apps/api/src/a.ts', "const a = 1;\nexport type { A } from '@tenantscope/store/ingest';")).toEqual([
    {
      path: 'apps/api/src/a.ts',
      line: 2,
      message: 'apps/api must not import @tenantscope/store/ingest; allowed parts: connection, read, api-key',
    },
  ]);
  expect(check('apps/jobs/src/a.ts', "await import('@tenantscope/store');")).toHaveLength(1);
});

test('a package without a rule may import no part of the store', () => {
  expect(check('packages/intake/src/a.ts', "import { users } from '@tenantscope/store/read';")).toMatchObject([
    { message: 'packages/intake must not import @tenantscope/store/read; allowed parts: none' },
  ]);
});

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const readSettings = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../../${name}`, import.meta.url), 'utf8'));

test('the compiler is strict, and the linter refuses any, loose equality, eval and console output of services', async () => {
  expect((await readSettings('tsconfig.json')).compilerOptions).toMatchObject({
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
  });
  const { linter, overrides } = await readSettings('biome.json');
  // The recommended rules contain noDoubleEquals and noGlobalEval.
  expect(linter.rules).toMatchObject({
    preset: 'recommended',
    suspicious: { noExplicitAny: 'error', noConsole: 'error' },
    style: { noNonNullAssertion: 'error' },
  });
  for (const { includes, linter: changed } of overrides) {
    expect(includes).toEqual(['infra/**', 'apps/cli/**', 'test/**']);
    expect(changed.rules).toEqual({ suspicious: { noConsole: 'off' } });
  }
});

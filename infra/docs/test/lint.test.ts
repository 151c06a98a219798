// @module-tag exhaustive
import { buildOpenApi, operations } from '@tenantscope/contract';
import { expect, test } from 'vitest';

/** Rules without end, on a machine that may have other things to do. */
const timeout = 60_000;

const text = JSON.stringify(buildOpenApi(operations, 'https://tenantscope.example.test/api/v1'));

const isPublic = (path: string): boolean => /^paths\.\/(openapi|evidence\/jwks)\.json\./.test(path);

/** Rules that the contract rules out, each with its reason; what they find elsewhere still counts. */
const exceptions: Readonly<Record<string, (path: string) => boolean>> = {
  // No page of another origin ever reads with a key: there are no CORS headers at all.
  'owasp:api8:2023-define-cors-origin': () => true,
  // The description and the keys that verify evidence are public: they need no key and spend no budget.
  'owasp:api2:2023-read-restricted': isPublic,
  'owasp:api4:2023-rate-limit': isPublic,
  'owasp:api4:2023-rate-limit-responses-429': isPublic,
  'owasp:api8:2023-define-error-responses-401': isPublic,
  // A cursor has no greatest length: what carries fifty filter values is as long as they are.
  'owasp:api4:2023-string-limit': (path) =>
    /^(paths\..*\.parameters\.\d+|components\.parameters\.Cursor)\.schema$/.test(path),
  // Names, subjects and ids are text of tenants and providers, of every form.
  'owasp:api4:2023-string-restricted': (path) => path.startsWith('components.schemas.'),
};

// The linters are loaded by the tests: `npm run check` collects this file without running it, and they take 1 s.

async function spectralFinds(description: string): Promise<{ code: string; path: string; message: string }[]> {
  const { Document, Spectral } = await import('@stoplight/spectral-core');
  const { default: owasp } = await import('@stoplight/spectral-owasp-ruleset');
  // The names of this CommonJS module are members of its default export.
  const { Json } = (await import('@stoplight/spectral-parsers')).default;
  const { oas } = await import('@stoplight/spectral-rulesets');
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas, owasp] as never });
  const found = await spectral.run(new Document(description, Json, 'openapi.json'));
  return found.map(({ code, path, message }) => ({ code: String(code), path: path.join('.'), message }));
}

async function redoclyFinds(description: string): Promise<string[]> {
  const { lintFromString, loadConfig } = await import('@redocly/openapi-core');
  const config = await loadConfig({ customExtends: ['recommended-strict'] });
  const found = await lintFromString({ source: description, absoluteRef: '/openapi.json', config });
  return found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''}: ${message}`);
}

test('Redocly finds nothing', { timeout }, async () => {
  expect(await redoclyFinds(text)).toEqual([]);
});

test('Spectral finds nothing with its own rules and those of OWASP but what the contract rules out, and each exception is needed', {
  timeout,
}, async () => {
  const found = await spectralFinds(text);
  expect(found.filter(({ code, path }) => !exceptions[code]?.(path))).toEqual([]);
  expect(Object.keys(exceptions).filter((rule) => !found.some(({ code }) => code === rule))).toEqual([]);
});

test('both linters report a faulty description', { timeout }, async () => {
  const worse = text
    .replaceAll('"operationId":"list_logs"', '"operationId":"ping"')
    .replace('"type":"http","scheme":"bearer"', '"type":"http","scheme":"basic"');
  expect(await redoclyFinds(worse)).not.toEqual([]);
  expect((await spectralFinds(worse)).filter(({ code, path }) => !exceptions[code]?.(path))).not.toEqual([]);
});

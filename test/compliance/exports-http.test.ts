import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findingsPath } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { preparePython } from '../mcp/python-environment.ts';

const execute = promisify(execFile);

let product: ControlledInstallation;
let secret: string;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-exports-'));
  product = await startControlledInstallation();
  const tenantId = await product.createTenant();
  const key = { name: 'auditor', scopes: ['evidence:read' as const], owner: { tenantId }, expiresAt: null };
  secret = (await product.admin.keys.create(key)).secret;
  await product.superuser.query(
    `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts)
     select $1, 'user', '=user-' || number, false, now(),
            '{"userType":"member","accountEnabled":true,"mfaRegistered":false}'
       from generate_series(1, 5) number`,
    [tenantId],
  );
  const payload = { source: 'users', enabled: true, licensed: true, lastCompleteImportAt: new Date().toISOString() };
  await product.superuser.query(
    `insert into models.compliance_record (tenant_id, id, version, digest, updated_at, changed_at, kind, record_id, document)
     values ($1, 'sourceStatus/users', 1, '', now(), now(), 'sourceStatus', 'users', $2)`,
    [tenantId, JSON.stringify({ payload })],
  );
});
afterAll(async () => {
  await product?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

async function read(path: string, accept?: string) {
  const response = await fetch(`${product.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${secret}`, ...(accept === undefined ? {} : { accept }) },
  });
  const { status, headers } = response;
  return { status, type: headers.get('content-type'), headers, text: await response.text() };
}

test('a status is CSV for a client that accepts CSV, and JSON for every other one', async () => {
  const csv = await read('/compliance/status', 'text/csv');
  expect([csv.status, csv.type]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(csv.headers.get('vary')).toContain('Accept');
  const json = JSON.parse((await read('/compliance/status')).text).data;
  expect(csv.text.split('\r\n')).toHaveLength(json.requirements.length + 2);
  const line = csv.text.split('\r\n').find((one) => one.startsWith('iam.mfa.members,'));
  expect(line).toContain(',not_met,measured,');
  for (const accept of ['*/*', 'application/json', 'application/json, text/csv'])
    expect((await read('/compliance/status', accept)).type).toBe('application/json; charset=utf-8');
});

test('findings are CSV page by page, and no cell of them is a formula', async () => {
  const path = findingsPath('iam.mfa.members');
  const first = await read(`${path}?limit=2`, 'text/csv');
  expect(first.type).toBe('text/csv; charset=utf-8');
  expect(first.text.split('\r\n')).toHaveLength(4);
  expect(first.text).toContain("user,'=user-1,,failing,");
  const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
  expect((await read(next.slice(product.baseUrl.length), 'text/csv')).text).toContain("user,'=user-3,");
});

test('an error is JSON, and a media type that an operation does not offer is refused', async () => {
  const unknown = await read(findingsPath('no.such'), 'text/csv');
  expect([unknown.status, unknown.type]).toEqual([404, 'application/json; charset=utf-8']);
  for (const [path, accept] of [
    [findingsPath('iam.mfa.members'), 'application/oscal+json'],
    ['/compliance/snapshots', 'text/csv'],
    ['/compliance/status', 'text/html'],
  ] as const) {
    const { status, text } = await read(path, accept);
    expect([status, JSON.parse(text).error.code]).toEqual([406, 'NOT_ACCEPTABLE']);
  }
});

test('the OSCAL document is valid for the models of compliance-trestle, which refuse an incomplete one', {
  tags: ['torture'],
  // Its packages may have to be fetched first.
  timeout: 600_000,
}, async (context) => {
  const prepared = await preparePython('trestle');
  if ('missing' in prepared) return context.skip(prepared.missing);
  const { text, type } = await read('/compliance/status', 'application/oscal+json');
  expect(type).toBe('application/oscal+json; charset=utf-8');
  const document = JSON.parse(text);
  const { 'import-ap': _, ...incomplete } = document['assessment-results'];
  const narrowed = async (query: string) =>
    JSON.parse((await read(`/compliance/status?${query}`, 'application/oscal+json')).text);
  const [ofFramework, summary] = [await narrowed('framework=nis2'), await narrowed('view=summary')];
  const resultOf = (one: typeof document) => one['assessment-results'].results[0];
  expect(resultOf(document).remarks).not.toContain('selected');
  expect(resultOf(ofFramework).remarks).toMatch(/selected \d+ of the 108 requirements/);
  expect(resultOf(summary).remarks).toContain('selected 0 of the 108 requirements');
  expect(resultOf(summary)['reviewed-controls']['control-selections']).toEqual([
    { description: 'The request selected no requirement that applies.', 'include-all': {} },
  ]);
  const files = [
    document,
    ofFramework,
    summary,
    { 'assessment-results': incomplete },
    { 'assessment-results': { ...document['assessment-results'], more: 1 } },
  ];
  const names = files.map((_, index) => join(directory, `${index}.json`));
  for (const [index, name] of names.entries()) await writeFile(name, JSON.stringify(files[index]));
  const program = fileURLToPath(new URL('validate_oscal.py', import.meta.url));
  const { stdout } = await execute(prepared.python, [program, ...names]);
  const findings = document['assessment-results'].results[0].findings.length;
  expect(findings).toBeGreaterThan(0);
  expect(stdout.trim().split('\n')).toEqual([
    `valid ${findings}`,
    expect.stringMatching(/^valid [1-9]/),
    'valid 0',
    expect.stringMatching(/^invalid .*import.ap/),
    expect.stringMatching(/^invalid .*more/),
  ]);
});

import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { run } from './command-line.ts';

let product: ControlledInstallation;
let directory: string;
let tenantId: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  product = await startControlledInstallation();
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-report-'));
  tenantId = await product.createTenant();
  environment = { TENANTSCOPE_URL: product.baseUrl, TENANTSCOPE_KEY: await keyOf({ tenantId }) };
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await product?.[Symbol.asyncDispose]();
});

const keyOf = async (owner: { tenantId: string } | { organizationId: string }): Promise<string> =>
  (await product.admin.keys.create({ name: 'auditor', scopes: ['evidence:read'], owner, expiresAt: null })).secret;

const report = (args: readonly string[], given = environment) =>
  run(['report', ...args], { environment: given, directory });

test('the report command writes Markdown, JSON or HTML to standard output or a file', async () => {
  const markdown = await report(['executive-summary', '--lang', 'pl']);
  expect(markdown).toMatchObject({ status: 0, stderr: '' });
  expect(markdown.stdout).toMatch(/^# Podsumowanie dla zarządu\n/);

  const json = await report(['framework-readiness', '--framework', 'rodo', '--from', '2026-01-01', '--json']);
  expect(JSON.parse(json.stdout).parameters).toMatchObject({ framework: 'gdpr', from: '2026-01-01T00:00:00.000Z' });

  const file = join(directory, 'report.html');
  const written = await report(['executive-summary', '--html', file]);
  expect(written.stdout).toContain(file);
  const page = await readFile(file, 'utf8');
  expect(page).toMatch(/^<!doctype html>/);
  expect(page).toContain('.report-table');
  expect(page).toContain('Executive security and compliance summary</h1>');
  expect((await report(['executive-summary', '--html', '-'])).stdout).toMatch(/^<!doctype html>.*<\/html>\n$/s);
});

test('an API error is shown with its message, and the exit status separates caller errors from server errors', async () => {
  const wrong = await report(['framework-readiness']);
  expect([wrong.status, wrong.stdout]).toEqual([2, '']);
  expect(wrong.stderr).toContain('The parameter framework is required by framework-readiness');
  const misspelled = await report(['framework-readiness', '--framework', 'nis']);
  expect(misspelled.stderr).toMatch(/is not one of the allowed values\. .* Allowed for framework: .*nis2/);
  const unknown = await report(['nonsense/../x']);
  expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('Report template not found')]);
  const strange = await report(['executive-summary'], { ...environment, TENANTSCOPE_KEY: 'tscope_live_nobody' });
  expect(strange.status).toBe(1);
  expect(strange.stderr).not.toContain('nobody');
});

test('an organization key selects the tenant with an option', async () => {
  const { id: organizationId } = await product.admin.organizations.create({ name: 'Group' });
  const own = await product.admin.tenants.create({ name: 'Subsidiary', organizationId, azureTenantId: null });
  const given = { ...environment, TENANTSCOPE_KEY: await keyOf({ organizationId }) };
  expect((await report(['executive-summary'], given)).stderr).toContain('name one with --tenant');
  expect((await report(['executive-summary', '--tenant', own.id], given)).stdout).toContain('Subsidiary');
});

test('a running checkout needs no options, and its keys are sent to no other address', async () => {
  const checkout = join(directory, 'checkout');
  await mkdir(join(checkout, '.tenantscope'), { recursive: true });
  const keys = { tenant: environment.TENANTSCOPE_KEY, organization: 'tscope_live_x' };
  await writeFile(join(checkout, '.tenantscope', 'state.json'), JSON.stringify({ baseUrl: product.baseUrl, keys }));
  const there = (args: readonly string[]) =>
    run(['report', 'executive-summary', ...args], { environment: {}, directory: checkout });
  expect((await there([])).status).toBe(0);

  let requests = 0;
  const stranger = createServer((_, response) => {
    requests += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  try {
    const { port } = stranger.address() as { port: number };
    const refused = await there(['--url', `http://127.0.0.1:${port}`]);
    expect([refused.status, requests]).toEqual([2, 0]);
    expect(refused.stderr).toContain('TENANTSCOPE_KEY');
  } finally {
    stranger.close();
  }
});

test('an unreachable API is reported with its address', async () => {
  const { status, stderr } = await report(['executive-summary', '--url', 'http://127.0.0.1:9']);
  expect([status, stderr]).toEqual([1, expect.stringContaining('http://127.0.0.1:9 does not respond')]);
});

test('an unwritable output file is reported', async () => {
  const { status, stderr } = await report(['executive-summary', '--html', join(directory, 'no', 'such', 'folder')]);
  expect([status, stderr]).toEqual([1, expect.stringContaining('cannot be written: ENOENT')]);
});

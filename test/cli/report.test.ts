import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StillProduct, stillProduct } from '../guards/still-product.ts';
import { run } from './command-line.ts';

let product: StillProduct;
let directory: string;
let tenantId: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  product = await stillProduct();
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-report-'));
  tenantId = await product.tenant();
  environment = { TENANTSCOPE_URL: product.baseUrl, TENANTSCOPE_KEY: await keyOf({ tenantId }) };
}, 60_000);
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await product?.[Symbol.asyncDispose]();
}, 60_000);

const keyOf = async (owner: { tenantId: string } | { organizationId: string }): Promise<string> =>
  (await product.admin.keys.create({ name: 'auditor', scopes: ['evidence:read'], owner, expiresAt: null })).secret;

const report = (words: readonly string[], given = environment) =>
  run(['report', ...words], { environment: given, directory });

test('a report is Markdown, one JSON document, or a page in a file or on standard output', async () => {
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

test('what the API refuses is said in its words, and the status tells whose fault it is', async () => {
  const wrong = await report(['framework-readiness']);
  expect([wrong.status, wrong.stdout]).toEqual([2, '']);
  expect(wrong.stderr).toContain('The parameter framework is needed by framework-readiness');
  const unknown = await report(['nonsense/../x']);
  expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('There is no such report')]);
  const strange = await report(['executive-summary'], { ...environment, TENANTSCOPE_KEY: 'tscope_live_nobody' });
  expect(strange.status).toBe(1);
  expect(strange.stderr).not.toContain('nobody');
});

test('a key of an organization names the tenant it reads', async () => {
  const { id: organizationId } = await product.admin.organizations.create({ name: 'Group' });
  const mine = await product.admin.tenants.create({ name: 'Subsidiary', organizationId, azureTenantId: null });
  const given = { ...environment, TENANTSCOPE_KEY: await keyOf({ organizationId }) };
  expect((await report(['executive-summary'], given)).stderr).toContain('X-Tenant-Id');
  expect((await report(['executive-summary', '--tenant', mine.id], given)).stdout).toContain('Subsidiary');
});

test('in a checkout where everything runs nothing has to be said; its keys go to nobody else', async () => {
  const checkout = join(directory, 'checkout');
  await mkdir(join(checkout, '.tenantscope'), { recursive: true });
  const keys = { tenant: environment.TENANTSCOPE_KEY, organization: 'tscope_live_x' };
  await writeFile(join(checkout, '.tenantscope', 'state.json'), JSON.stringify({ baseUrl: product.baseUrl, keys }));
  const there = (words: readonly string[]) =>
    run(['report', 'executive-summary', ...words], { environment: {}, directory: checkout });
  expect((await there([])).status).toBe(0);

  let asked = 0;
  const stranger = createServer((_, response) => {
    asked += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  try {
    const { port } = stranger.address() as { port: number };
    const refused = await there(['--url', `http://127.0.0.1:${port}`]);
    expect([refused.status, asked]).toEqual([2, 0]);
    expect(refused.stderr).toContain('TENANTSCOPE_KEY');
  } finally {
    stranger.close();
  }
});

test('an API that does not answer is named', async () => {
  const { status, stderr } = await report(['executive-summary', '--url', 'http://127.0.0.1:9']);
  expect([status, stderr]).toEqual([1, expect.stringContaining('http://127.0.0.1:9 does not answer')]);
});

test('a page that cannot be written is said', async () => {
  const { status, stderr } = await report(['executive-summary', '--html', join(directory, 'no', 'such', 'folder')]);
  expect([status, stderr]).toEqual([1, expect.stringContaining('cannot be written: ENOENT')]);
});

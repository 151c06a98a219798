// @module-tag torture
import { operations } from '@tenantscope/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom, isLong } from '../../torture/random.ts';
import { findChromium } from './chromium.ts';
import { type DemoStage, startDemoStage } from './demo-stage.ts';
import { choose, downloadResponse, readStatus, send, showAllParameters } from './playground-actions.ts';

const chromium = await findChromium();
const random = createRandom('playground operations');
/**
 * By REST and MCP in the browser an operation takes 0.7 s of CPU time. `npm test` takes some of each kind here, and all of them without a browser
 * (test/mcp/route-parity.test.ts).
 */
const someOperations = isLong
  ? operations
  : ['get', 'list', 'document'].flatMap((kind) =>
      random.shuffle(operations.filter((operation) => operation.kind === kind)).slice(0, 3),
    );
const groups = ['Key', 'Feeds', 'Evidence', 'Entities', 'Reports'];

describe.skipIf(chromium === null)('every operation in the playground', { tags: ['browser'] }, () => {
  let on: DemoStage;
  beforeAll(async () => {
    on = await startDemoStage(chromium ?? '');
  }, 240_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  test('every operation is offered in its group, with its description and all parameters', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    const picker = page.getByLabel('Operation');
    await picker.waitFor();
    expect(
      await picker
        .locator('optgroup')
        .evaluateAll((all) => all.map((one) => (one as unknown as { label: string }).label)),
    ).toEqual(groups);
    const offered = async () => (await picker.locator('option').allTextContents()).toSorted();
    expect(await offered()).toEqual(operations.map(({ path }) => `GET ${path}`).toSorted());
    for (const { name, parameters, description } of operations) {
      await choose(page, name);
      expect(await page.locator('.play > section').textContent(), name).toContain(description);
      await showAllParameters(page);
      const fields = page.locator('.parameters > .field').locator('label, > legend');
      expect((await fields.allTextContents()).toSorted(), name).toEqual(Object.keys(parameters).toSorted());
    }
    await page.getByRole('button', { name: 'MCP', exact: true }).click();
    expect(await offered()).toEqual(operations.map(({ name }) => name).toSorted());
    for (const { name, toolDescription } of operations) {
      await choose(page, name);
      expect(await page.locator('.play > section').textContent(), name).toContain(toolDescription);
    }
    await window.checkScreen('playground-operations');
  });

  test(`${isLong ? 'every operation' : 'an operation of each kind'} returns the same over REST and MCP as to an API client`, async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    const to = new Date(Date.now() - 60_000).toISOString();
    const logs = await fetch(`${on.baseUrl}/logs?limit=1`, { headers: { Authorization: `Bearer ${on.secret}` } });
    const [log] = ((await logs.json()) as { data: { id: string }[] }).data;
    for (const { name, path, kind, parameters } of someOperations) {
      await choose(page, name);
      // The id of a log event depends on the tenant and the time of the event, so that its example matches none.
      if (name === 'get_log') await page.getByLabel('ID', { exact: true }).fill(log?.id ?? '');
      // Documents cover a period; both requests end it at the same time.
      const end = kind === 'list' ? undefined : ['to', 'discoveredTo'].find((each) => each in parameters);
      if (end !== undefined) {
        await showAllParameters(page);
        await page.getByLabel(end, { exact: true }).fill(to);
      }
      await page.getByRole('button', { name: 'REST', exact: true }).click();
      expect(await send(window), name).toMatch(`GET /api/v1${path.split('/{')[0]}`);
      expect(await readStatus(page), name).toContain('200 OK');
      const rest = JSON.parse(await downloadResponse(page));

      await page.getByRole('button', { name: 'MCP', exact: true }).click();
      expect(await send(window), name).toBe('POST /api/v1/mcp');
      expect(await readStatus(page), name).toContain('200 OK');
      await page.getByText('The text and structuredContent are identical').waitFor();
      const requestBody = await page.locator('.request + details pre').first().textContent();
      expect(JSON.parse(requestBody ?? '')).toMatchObject({ method: 'tools/call', params: { name } });
      const { result } = JSON.parse(await downloadResponse(page));
      expect(result.isError, name).not.toBe(true);
      expect(omitTimeDependent(result.structuredContent), name).toEqual(omitTimeDependent(rest));
      expect(JSON.parse(result.content[0].text), name).toEqual(result.structuredContent);
    }
    await window.checkScreen('playground-every-operation');
  });

  test('the form is preserved when the protocol changes, and both return the same bytes', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    const to = new Date(Date.now() - 60_000).toISOString();
    await page.getByLabel('discoveredTo', { exact: true }).fill(to);
    await page.getByLabel('limit', { exact: true }).fill('200');
    await page.getByRole('button', { name: 'MCP', exact: true }).click();
    expect(await page.getByLabel('discoveredTo', { exact: true }).inputValue()).toBe(to);
    await send(window);
    const { result } = JSON.parse(await downloadResponse(page));
    const query = new URLSearchParams({ discoveredTo: to, limit: '200' });
    const direct = await fetch(`${on.baseUrl}/logs?${query}`, { headers: { Authorization: `Bearer ${on.secret}` } });
    expect(rowsText(result.content[0].text)).toBe(rowsText(await direct.text()));
    await page.getByText(/^[\d,]+ characters, about [\d,]+ tokens/).waitFor();
    await window.checkScreen('playground-same-bytes');
  });

  test('an operation that requires more than evidence:read is unavailable to an officer, in the form and on the server', async () => {
    await using window = await on.open('officer');
    const { page } = window;
    await window.go('/playground');
    // The screen header is rendered before the operations are loaded.
    const picker = page.getByLabel('Operation');
    await picker.waitFor();
    const open = picker.locator('option:not([disabled])');
    expect((await open.allTextContents()).toSorted()).toEqual(
      operations
        .filter(({ scope }) => scope === null || scope === 'evidence:read')
        .map(({ path }) => `GET ${path}`)
        .toSorted(),
    );
    expect(await page.getByLabel('Run with scopes of').locator('option').allTextContents()).toEqual(['me (1)']);
    expect(await page.getByRole('navigation', { name: 'API keys' }).count()).toBe(0);
    await choose(page, 'get_agent_evidence_pack');
    await page.getByRole('button', { name: 'Last 30 days' }).click();
    await page.locator('.parameters').getByRole('button', { name: 'inventory', exact: true }).click();
    expect(await send(window)).toMatch(/sections=inventory$/);
    expect(await readStatus(page)).toContain('200 OK');
    await window.checkScreen('playground-officer');
    await window.go('/playground?operation=list_logs');
    await page.getByText('Requires logs:read').waitFor();
    const status =
      await page.evaluate(`fetch('/console/api/playground/run', { method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ operation: 'list_logs', tenantId: '${on.tenantId}', mode: 'rest', parameters: {}, scopesOf: 'me', added: 'logs:read' }) })
      .then(async (response) => JSON.parse(atob(response.headers.get('x-run').replaceAll('-', '+').replaceAll('_', '/'))).status)`);
    expect(status).toBe(403);
  });
});

/** Members of a response that depend on the time of the request. */
const timeDependent = new Set([
  'generatedAt',
  'evaluatedAt',
  'completeThrough',
  'unreadSince',
  // Of feeds, which receive events all the time.
  'lagMs',
  'newestAt',
  'window',
  'nextCursor',
  'resumeCursor',
  'generatedBy',
  'key',
  'keyId',
  // A digest over the members above.
  'integrity',
]);

const omitTimeDependent = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member) => (timeDependent.has(name) ? undefined : member));

const rowsText = (text: string): string => text.slice(0, text.indexOf('"pagination"'));

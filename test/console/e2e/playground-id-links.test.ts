// @module-tag torture
import { evidenceSectionKeys, type Operation, operations } from '@tenantscope/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onServer } from '../../services/template.ts';
import { isLong } from '../../torture/random.ts';
import { findChromium } from './chromium.ts';
import { type DemoStage, startDemoStage } from './demo-stage.ts';
import { choose, downloadResponse, expectSoon, readStatus, send } from './playground-actions.ts';
import { runSnippets } from './run-snippet.ts';

const chromium = await findChromium();
const bigNumber = '12345678901234567890';
const hostile = 'Faktura\\u202Efdp.exe <img src=x onerror=alert(1)> \\u001b[31m';

describe.skipIf(chromium === null)('links in a playground response', { tags: ['browser'] }, () => {
  let on: DemoStage;
  beforeAll(async () => {
    on = await startDemoStage(chromium ?? '');
    await onServer(on.database, async (client) => {
      await client.query(
        `update models.security_alert set detail = regexp_replace(detail, '"rawData":.*', '"rawData":{"number":${bigNumber},"ratio":1.10}}')`,
      );
      await client.query(
        `update models.notification set document = jsonb_set(document::jsonb, '{mailSubject}', $1)::text`,
        [`"${hostile}"`],
      );
    });
  }, 240_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  const id = (page: Page) => page.locator('#parameter-id');

  test('every id with a by-id operation fills in its form, and the record is found', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    const lists = (operations as readonly Operation[]).filter(
      ({ kind, path, name }) =>
        kind !== 'get' && operations.some((one) => one.kind === 'get' && one.path.startsWith(`${path}/{id}`)) && name,
    );
    expect(lists.length).toBeGreaterThan(12);
    for (const { name, path } of lists) {
      await choose(page, name);
      await send(window);
      const first = JSON.parse(await downloadResponse(page)).data[0].id;
      await page.locator('.json .id-link').getByText(first, { exact: true }).first().click();
      await expectSoon(() => id(page).inputValue(), first);
      await expectSoon(() => page.evaluate<string>(`document.activeElement?.id`), 'parameter-id');
      expect(await page.getByLabel('Operation').locator('option:checked').textContent()).toContain(`${path}/{id}`);
      await send(window);
      expect(await readStatus(page), name).toContain('200 OK');
    }
    await window.checkScreen('playground-id-link');
  });

  test('an actor id links to the user, agent or app of its type, from lines, table and keyboard', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit', { exact: true }).fill('1000');
    await send(window);
    const rows: Record<string, string | null>[] = JSON.parse(await downloadResponse(page)).data;
    // Okta's ids of actors are not aliases of users yet.
    const userEvent = rows.find(({ actorType, sourceType }) => actorType === 'user' && sourceType === 'entra');
    if (!userEvent?.actorId) throw new Error('no Entra event has a user as its actor');
    await page.getByRole('searchbox', { name: 'Find' }).fill(`"actorId": "${userEvent.actorId}"`);
    await page.locator('.json-found .id-link').click();
    await expectSoon(() => id(page).inputValue(), userEvent.actorId);
    expect(await page.getByLabel('Operation').inputValue()).toBe('get_user');
    await send(window);
    expect(await readStatus(page), userEvent.actorId).toContain('200 OK');

    // By keyboard: the view is one tab stop, the arrow keys move between its links, Enter opens one.
    await page.locator('.view').focus();
    await page.keyboard.press('Tab');
    for (let step = 0; step < 80; step += 1) {
      if (await page.locator('.id-link:focus').count()) break;
      await page.keyboard.press('ArrowDown');
    }
    const focusedId = await page.locator('.id-link:focus').textContent();
    await page.keyboard.press('Enter');
    await expectSoon(() => id(page).inputValue(), focusedId);
    await page.keyboard.press('Control+Enter');
    await page.locator('.play > section[aria-busy="false"]').waitFor();

    await choose(page, 'list_agents');
    await send(window);
    await page.getByRole('tab', { name: 'Table' }).click();
    const owned: Record<string, string | null>[] = JSON.parse(await downloadResponse(page)).data;
    const owner = owned.find(({ ownerId }) => ownerId !== null)?.ownerId ?? '';
    await page.locator('.grid .id-link').getByText(owner, { exact: true }).first().press('Enter');
    await expectSoon(() => id(page).inputValue(), owner);
    expect(await page.getByLabel('Operation').inputValue()).toBe('get_user');
    await window.checkScreen('playground-id-link-table');
  });

  test('a cursor continues from its position', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit', { exact: true }).fill('5');
    await page.getByRole('group', { name: 'sort' }).getByRole('button', { name: 'discoveredAtAsc' }).click();
    await send(window);
    const { resumeCursor } = JSON.parse(await downloadResponse(page)).pagination;
    await page.getByRole('searchbox', { name: 'Find' }).fill('resumeCursor');
    await page.locator('.json-found .id-link').click();
    await expectSoon(() => page.getByLabel('cursor', { exact: true }).inputValue(), resumeCursor);
    expect(await page.getByLabel('limit', { exact: true }).inputValue()).toBe('5');
    await send(window);
    expect(await readStatus(page)).toContain('200 OK');
    await window.checkScreen('playground-id-link-cursor');
  });

  test('the subject of a mail shows its invisible characters and runs no markup', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await choose(page, 'list_notifications');
    await send(window);
    const subject = page.getByText('Faktura\\u202efdp.exe <img src=x onerror=alert(1)> \\u001b[31m').first();
    await subject.waitFor();
    await page.getByRole('tab', { name: 'Table' }).click();
    await subject.waitFor();
    expect(await page.locator('.play img').count()).toBe(0);
    await window.checkScreen('playground-hostile-subject');
  });

  const wideAndNarrow = [
    ['en', 1440],
    ['pl', 390],
  ] as const;
  // Each takes 6 s of CPU time, two thirds of it for the accessibility of the view at each member.
  test.each(isLong ? ([...wideAndNarrow, ['pl', 1440], ['en', 390]] as const) : wideAndNarrow)(
    'targets, changes and places of log events are readable as JSON and in a table: %s, %s px',
    async (language, width) => {
      await using window = await on.open('admin', { language, width, height: width === 390 ? 844 : 900 });
      const { page } = window;
      await window.go('/playground?operation=list_logs');
      await send(window);
      const name = `playground-log-${width}-${language}`;
      // Lines outside the view are not rendered.
      await page.getByRole('searchbox', { name: language === 'en' ? 'Find' : 'Znajdź' }).fill('"targets"');
      await page.locator('.json-found').getByText('"targets"').waitFor();
      await window.checkScreen(`${name}-json`);
      await page.getByRole('tab', { name: language === 'en' ? 'Table' : 'Tabela' }).click();
      for (const member of ['location', 'signIn', 'targets', 'changes', 'details']) {
        await page.locator('.grid thead th').getByText(member, { exact: true }).scrollIntoViewIfNeeded();
        const cells = await page.locator('.grid td').allTextContents();
        expect(cells.filter((text) => /^[[{]/.test(text))).toEqual([]);
        if (isLong) await window.checkScreen(`${name}-${member}`);
      }
      await window.checkScreen(`${name}-table`);
      await page.locator('.view').evaluate('(view) => view.scrollTo(0, 0)');
      await page.locator('.grid .id-link').first().click();
      await send(window);
      await page.getByRole('tab', { name: language === 'en' ? 'Table' : 'Tabela' }).click();
      await window.checkScreen(`${name}-record`);
    },
  );

  test('provider data preserves every digit, as lines and as a table', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await choose(page, 'list_security_alerts');
    await send(window);
    await page.locator('.json .id-link').first().click();
    await send(window);
    await page.getByRole('searchbox', { name: 'Find' }).fill('rawData');
    await page.locator('.json-number').getByText(bigNumber).waitFor();
    await page.locator('.json-number').getByText('1.10').waitFor();
    await page.getByRole('tab', { name: 'Table' }).click();
    await page.locator('.view').hover();
    await page.mouse.wheel(0, 2_000);
    await page.getByRole('cell', { name: `number: ${bigNumber}, ratio: 1.10` }).waitFor();
    await window.checkScreen('playground-digits');
  });

  test('snippets also return a record, a document and a list of entities', async (context) => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    const documents = isLong ? (['get_agent_evidence_pack'] as const) : [];
    for (const name of ['get_user', 'get_compliance_status', 'list_agents', ...documents] as const) {
      await choose(page, name);
      for (const { language, output } of await runSnippets(
        page,
        on.secret,
        (reason) => void context.annotate(reason),
      )) {
        expect(output.length, `${name} by ${language}`).toBeGreaterThan(0);
        if (name === 'get_user') expect(output[0].data.id, language).toBeTypeOf('string');
        if (name === 'get_agent_evidence_pack')
          expect(output[0].data.sections, language).toHaveLength(evidenceSectionKeys.length);
      }
    }
    await window.checkScreen('playground-snippet-document');
  });
});

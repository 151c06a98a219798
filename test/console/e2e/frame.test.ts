import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, startStage } from './stage.ts';

const chromium = await findChromium();
const hasFocus = async (one: Locator) => (await one.and(one.page().locator(':focus')).count()) === 1;

describe.skipIf(chromium === null)('the frame in a browser', { tags: ['browser'] }, () => {
  let on: Stage;
  let key: { id: string; display: string };
  let second: string;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
    second = on.tenantIds[1] ?? '';
    const { id } = await on.createKey('Sentinel poller, West Europe', ['logs:read', 'detections:read']);
    await on.createKey('Splunk bridge');
    const { rows } = await on.product.superuser.query<{ display: string }>(
      'select display from control.api_key where id = $1',
      [id],
    );
    key = { id, display: rows[0]?.display ?? '' };
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  const field = (page: Page) => page.getByRole('combobox', { name: /Search screens|Szukaj ekranów/ });
  const options = (page: Page) => page.getByRole('listbox').getByRole('option');
  const openPalette = async (page: Page) => {
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
  };
  /** Types into the palette and opens the first result. */
  const goTo = async (page: Page, query: string, found: string | RegExp) => {
    await openPalette(page);
    await field(page).fill(query);
    await options(page).first().filter({ hasText: found }).waitFor();
    await page.keyboard.press('Enter');
    await field(page).waitFor({ state: 'detached' });
  };
  const tenantField = (page: Page) =>
    page
      .locator('main label')
      .filter({ hasText: /^Tenant/ })
      .locator('select');
  const readFocused = (page: Page) =>
    page.evaluate<string>(
      `(({ id, tagName, textContent }) => id || tagName + ' ' + (textContent ?? '').trim())(document.activeElement)`,
    );

  describe('the palette', () => {
    test('the palette opens every screen, tenant, key and operation, and runs every action', async () => {
      await using window = await on.open('admin');
      const { page } = window;
      await window.go('/feeds');
      await openPalette(page);
      const active = await field(page).getAttribute('aria-activedescendant');
      expect(await options(page).first().getAttribute('id')).toBe(active);
      await options(page).filter({ hasText: 'Splunk bridge' }).waitFor();
      await window.checkScreen('palette');
      await page.keyboard.press('ArrowDown');
      expect(await options(page).nth(1).getAttribute('aria-selected')).toBe('true');
      expect(await options(page).nth(1).getAttribute('id')).toBe(
        await field(page).getAttribute('aria-activedescendant'),
      );
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      expect(await options(page).last().getAttribute('aria-selected'), 'wraps around').toBe('true');
      await field(page).fill('no such thing at all');
      await page.getByRole('status').getByText('No results.').waitFor();
      await window.checkScreen('palette-none');
      await page.keyboard.press('Escape');
      await field(page).waitFor({ state: 'detached' });

      await goTo(page, 'dead letters', 'Dead letters');
      await page.waitForURL('**/feeds/dead-letters');
      await goTo(page, 'audit', 'Audit log');
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
      expect(await readFocused(page), 'the focused element no longer exists').toBe('content');

      await goTo(page, key.display.toLowerCase(), 'Sentinel poller');
      await page.getByRole('region', { name: 'Key' }).getByRole('heading', { name: 'Sentinel poller' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('region', { name: 'Key' }).waitFor({ state: 'detached' });
      await goTo(page, 'europe sent', 'Sentinel poller');
      await page.waitForURL(`**/keys?key=${key.id}`);

      await goTo(page, 'get detec id', 'GET /detections/{id}');
      await page.waitForURL('**/playground?operation=get_detection');
      expect(await page.getByLabel('Operation').inputValue()).toBe('get_detection');
      await openPalette(page);
      expect(await page.getByRole('listbox').getByRole('group').first().textContent(), 'operations first').toMatch(
        /^Operations/,
      );
      await field(page).fill('policy scans');
      await window.checkScreen('palette-playground');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/playground?operation=list_policy_scans');
      expect(await page.getByLabel('Operation').inputValue(), 'within the screen').toBe('list_policy_scans');

      await goTo(page, 'zazolc', 'Zażółć Gęślą');
      await page.waitForURL(`**/playground?*tenant=${second}`);
      await goTo(page, 'new key', 'New key');
      await page.getByRole('dialog', { name: 'New key' }).waitFor();
      await page.keyboard.press('Escape');
      await goTo(page, 'verify', 'Verify chain');
      await page.getByText(/Chain verified/).waitFor();
      await goTo(page, 'theme dark', 'Dark');
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
      await goTo(page, 'polski', 'Polski');
      await page.getByRole('heading', { name: 'Dziennik audytu' }).waitFor();
      await openPalette(page);
      await window.checkScreen('palette-polish-dark');
      await page.keyboard.press('Escape');
      await goTo(page, 'wyloguj', 'Wyloguj się');
      await page.getByRole('heading', { name: 'Zaloguj się' }).waitFor();
    });

    test('the palette offers only what the role allows', async () => {
      for (const [role, visible, hidden] of [
        ['officer', ['Playground', 'Feed health', '/agents'], ['API keys', 'New key', 'Verify chain', 'Sentinel']],
        ['viewer', ['Feed health', 'Sign out'], ['API keys', 'Playground', 'GET ', 'New key', 'Verify', 'Sentinel']],
      ] as const) {
        await using window = await on.open(role);
        const { page } = window;
        await window.go('/feeds');
        await openPalette(page);
        for (const query of visible) {
          await field(page).fill(query);
          await options(page).filter({ hasText: query }).first().waitFor();
        }
        for (const query of hidden) {
          await field(page).fill(query);
          expect(await options(page).filter({ hasText: query }).count(), `${role}: ${query}`).toBe(0);
        }
        await window.checkScreen(`palette-${role}`);
      }
    });

    test('the palette reports a failed load and opens on retry', async () => {
      await using window = await on.open('admin', { expectsOutages: true });
      const { page } = window;
      await page.route('**/assets/palette-*', (route) => route.fulfill({ status: 503 }));
      await window.go('/feeds');
      await page.keyboard.press('Control+k');
      const dialog = page.getByRole('dialog', { name: 'Go to…' });
      await dialog.getByRole('alert').waitFor();
      await window.checkScreen('palette-missing');
      await page.unroute('**/assets/palette-*');
      await dialog.getByRole('button', { name: 'Try again' }).click();
      await field(page).waitFor();
      await window.checkScreen('palette-again');
    });

    test('the palette opens from the menu at 390 px', async () => {
      await using window = await on.open('admin', { width: 390, height: 844, language: 'pl' });
      const { page } = window;
      await window.go('/feeds');
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('button', { name: /^Przejdź do/ }).click();
      await field(page).fill('klucz');
      await options(page).first().waitFor();
      await window.checkScreen('palette-390');
      await options(page).filter({ hasText: 'Klucze API' }).click();
      await page.getByRole('heading', { name: 'Klucze API' }).waitFor();
    });
  });

  describe('single-key shortcuts', () => {
    test('g and a key open a screen, n creates, / focuses the filter, ? lists the shortcuts', async () => {
      await using window = await on.open('admin');
      const { page } = window;
      await window.go('/feeds');
      for (const [key, title] of [
        ['k', 'API keys'],
        ['p', 'Playground'],
        ['d', 'Dead letters'],
        ['a', 'Audit log'],
        ['o', 'Members'],
        ['f', 'Feed health'],
      ] as const) {
        await page.keyboard.press('g');
        await page.keyboard.press(key);
        await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor();
      }
      await page.keyboard.press('n');
      expect(await page.getByRole('dialog').count(), 'this screen creates nothing').toBe(0);
      await page.keyboard.press('g');
      await page.keyboard.press('k');
      await page.getByRole('searchbox').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('splunk g a n ?');
      expect(await page.getByRole('searchbox').inputValue(), 'shortcuts are inactive while typing').toBe(
        'splunk g a n ?',
      );
      await page.getByRole('searchbox').blur();
      await page.keyboard.press('n');
      const dialog = page.getByRole('dialog', { name: 'New key' });
      await dialog.getByLabel('Name', { exact: true }).waitFor();
      await dialog.getByRole('button', { name: 'Auditor' }).focus();
      for (const key of ['g', 'a', '?', '/']) await page.keyboard.press(key);
      expect(page.url(), 'not in a dialog').toContain('/keys');
      expect(await page.getByRole('dialog').count()).toBe(1);
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await window.checkScreen('key-help');
    });

    test('single-key shortcuts can be switched off, and the palette still opens', async () => {
      await using window = await on.open('admin', { theme: 'dark' });
      const { page } = window;
      await window.go('/keys');
      await page.getByRole('button', { name: 'Maria Nowak' }).click();
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      await page.getByLabel('Single-key shortcuts').uncheck();
      await window.checkScreen('key-help-off');
      await page.keyboard.press('Escape');
      await page.reload();
      await page.getByRole('searchbox').waitFor();
      for (const key of ['n', '?', '/', 'g', 'a']) await page.keyboard.press(key);
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(page.url()).toContain('/keys');
      expect(await hasFocus(page.getByRole('searchbox'))).toBe(false);
      await openPalette(page);
      await window.checkScreen('palette-without-letters');
    });

    test('Escape closes the detail panel and returns the focus to its row', async () => {
      await using window = await on.open('admin');
      const { page } = window;
      for (const [path, row, region] of [
        ['/keys', 'Splunk bridge', 'Key'],
        ['/feeds', 'Detections', 'Detections: lanes'],
        ['/audit', /created key "Splunk bridge"/, /Event/],
      ] as const) {
        await window.go(path);
        await page.getByRole('button', { name: row }).click();
        const detail = page.getByRole('region', { name: region });
        await detail.getByRole('button', { name: 'Close' }).focus();
        await page.keyboard.press('Escape');
        await detail.waitFor({ state: 'detached' });
        expect(await readFocused(page), path).toMatch(row);
      }
      await window.checkScreen('detail-closed');
    });
  });

  describe('the tenant switch', () => {
    test('the selected tenant filters every screen, is preserved by links, reload and Back, and can be shared by URL', async () => {
      await using window = await on.open('admin');
      const { page } = window;
      await window.go('/keys');
      await page.getByText('Splunk bridge').waitFor();
      await page.getByRole('button', { name: /All tenants/ }).click();
      const list = page.locator('#tenants');
      await list.getByText(second).waitFor();
      await window.checkScreen('tenants');
      await list.getByRole('link', { name: /^Zażółć/ }).click();
      await page.waitForURL(`**/keys?tenant=${second}`);
      await page.getByRole('button', { name: /Zażółć/ }).waitFor();
      await page.getByText('No API keys yet').waitFor();
      expect(await page.locator('.tabs a').first().textContent(), 'counts are of the selected tenant').toMatch(
        /Active\s*0/,
      );
      await window.checkScreen('tenant-narrowed');

      for (const screen of ['Playground', 'Feed health', 'Audit log', 'Members', 'API keys']) {
        await page.locator('.rail nav').getByRole('link', { name: screen }).click();
        await page.getByRole('heading', { name: screen, level: 1 }).waitFor();
        expect(page.url(), screen).toContain(`tenant=${second}`);
        if (screen === 'Playground') expect(await tenantField(page).inputValue()).toBe(second);
        if (screen === 'Audit log') {
          await page.locator('main table, main .empty').first().waitFor();
          expect(await page.getByText('Splunk bridge').count(), 'a key of the other tenant').toBe(0);
        }
      }
      await page.locator('.settled').click();
      await page.getByRole('link', { name: 'Dead letters' }).click();
      expect(page.url()).toContain(`tenant=${second}`);

      await page.reload();
      await page.getByRole('heading', { name: 'Dead letters' }).waitFor();
      await page.getByRole('button', { name: /Zażółć/ }).waitFor();
      await using colleague = await on.open('viewer');
      await colleague.page.goto(page.url());
      await colleague.page.getByRole('button', { name: /Zażółć/ }).waitFor();

      await page.goto(`${on.origin}/console/keys`);
      await page.getByText('Splunk bridge').waitFor();
      await page.getByRole('button', { name: /All tenants/ }).click();
      await list.getByRole('link', { name: /^Contoso/ }).click();
      await page.waitForURL(`**/keys?tenant=${on.tenantIds[0]}`);
      await page.goBack();
      await page.getByRole('button', { name: /All tenants/ }).waitFor();
      await window.checkScreen('tenant-all');
    });

    test('the playground uses the selected tenant', async () => {
      await using window = await on.open('admin');
      const { page } = window;
      await window.go('/playground');
      await page.getByRole('button', { name: /All tenants/ }).click();
      await page
        .locator('#tenants')
        .getByRole('link', { name: /^Zażółć/ })
        .click();
      await page.getByText(/against Zażółć/).waitFor();
      await tenantField(page).selectOption({ label: 'Contoso Ltd' });
      await page.locator('.switch-button').first().filter({ hasText: 'Contoso Ltd' }).waitFor();
      await window.checkScreen('tenant-playground');
    });

    test("an id of another organization's tenant is reported", async () => {
      await using window = await on.open('viewer');
      const { page } = window;
      await window.go('/feeds?tenant=00000000-0000-4000-8000-00000000dead');
      await page.getByText("You don't have access to the tenant in this link").waitFor();
      await page.getByRole('button', { name: /All tenants/ }).waitFor();
      await window.checkScreen('tenant-unknown');
      await page.getByRole('link', { name: 'All tenants' }).click();
      await page.waitForURL((url) => !url.search.includes('tenant'));
    });

    test('of thousands of tenants the switch lists a hundred, and finds each by its name', async () => {
      const { superuser } = on.product;
      const { rows } = await superuser.query<{ id: string }>(
        `insert into control.tenant (id, name, organization_id, plan, digest)
         select gen_random_uuid(), 'Branch ' || n, $1, 'api', sha256('x') from generate_series(1, 1000) n returning id`,
        [on.organizationId],
      );
      try {
        await using window = await on.open('admin');
        const { page } = window;
        await window.go('/feeds');
        await page.getByRole('button', { name: /All tenants/ }).click();
        await page.getByText('902 more: search by name.').waitFor();
        expect(await page.locator('#tenants a').count()).toBe(101);
        await page.getByRole('searchbox', { name: 'Search by name or ID' }).fill('Branch 471');
        await expect.poll(() => page.locator('#tenants a').first().textContent()).toContain('Branch 471');
        await page.locator('#tenants a').first().click();
        await page.waitForURL((url) => url.search.includes('tenant'));
        await window.checkScreen('tenants-thousands');
        await window.go('/members');
        await page.getByRole('button', { name: 'Invite member…' }).click();
        await page.getByRole('button', { name: 'Selected tenants' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('Select at least one tenant').waitFor();
        await dialog.getByLabel('Search tenants').fill('Branch 471');
        await dialog.getByLabel('Branch 471').check();
        await dialog.getByText('1 tenant selected').waitFor();
        await window.checkScreen('invite-thousands');
      } finally {
        await superuser.query('delete from control.tenant where id = any($1)', [rows.map(({ id }) => id)]);
      }
    });

    test('the tenant switch has a search field for many tenants and is hidden for one', async () => {
      const { superuser } = on.product;
      const { rows } = await superuser.query<{ id: string }>(
        `insert into control.tenant (id, name, organization_id, plan, digest)
         select gen_random_uuid(), 'Branch ' || n, $1, 'api', sha256('x') from generate_series(1, 14) n returning id`,
        [on.organizationId],
      );
      try {
        await using window = await on.open('admin', { width: 390, height: 844 });
        const { page } = window;
        await window.go('/feeds');
        await page.getByRole('button', { name: 'Menu' }).click();
        await page.getByRole('button', { name: /All tenants/ }).click();
        const search = page.getByRole('searchbox', { name: 'Search by name or ID' });
        await search.waitFor();
        // The event that moves the focus is a task after the one that shows the list.
        await expect.poll(() => readFocused(page)).toContain('INPUT');
        await search.fill('BRANCH 12');
        await expect.poll(() => page.locator('#tenants a').first().textContent()).toContain('Branch 12');
        await search.fill('unknown branch');
        await page.getByText('No matching tenants.').waitFor();
        await search.fill(rows[3]?.id.slice(0, 8) ?? '');
        await expect.poll(() => page.locator('#tenants a').count()).toBe(1);
        await window.checkScreen('tenants-many-390');
      } finally {
        await superuser.query('delete from control.tenant where id = any($1)', [rows.map(({ id }) => id)]);
      }
      await using one = await on.open('viewer', { tenantIds: [second] });
      await one.go('/feeds');
      await one.page.locator('.organization').waitFor();
      expect(await one.page.locator('.switch').count()).toBe(0);
      await one.checkScreen('tenant-only');
    });
  });

  test('a page whose texts cannot be loaded reports it and offers to load again', async () => {
    await using window = await on.open('admin', { expectsOutages: true });
    const { page } = window;
    await page.route('**/assets/en-*', (route) => route.fulfill({ status: 503 }));
    await page.goto(`${on.origin}/console/feeds`);
    const reload = page.getByRole('button', { name: 'Reload' });
    await reload.waitFor();
    await window.checkScreen('texts-missing');
    await page.unroute('**/assets/en-*');
    await reload.click();
    await page.getByRole('heading', { name: 'Feed health' }).waitFor();
  });

  test('a forbidden screen shows only the name and role of members who have access', async () => {
    const window = await on.open('viewer');
    await using _ = window;
    const { page } = window;
    await using _admin = await on.open('admin');
    await window.go('/keys');
    await page.getByText("You don't have access to this page. Contact one of these members").waitFor();
    const contacts = page.locator('.contacts');
    await contacts.getByText('Administrator').waitFor();
    expect(await contacts.textContent()).toContain('Maria Nowak');
    expect(await contacts.textContent()).not.toContain('Olga');
    await window.checkScreen('forbidden-names');
    const response = await page.evaluate<string>(
      `fetch('/console/api/role-contacts').then((response) => response.text())`,
    );
    expect(Object.keys(JSON.parse(response).contacts[0]).toSorted()).toEqual(['name', 'role']);
    expect(response).not.toContain('viewer');
  });

  test('the number of dead letters is shown next to feed health, and announced to screen readers', async () => {
    await using window = await on.open('viewer');
    const { page } = window;
    const settled = await (await page.context().request.get(`${on.origin}/console/api/settled`)).json();
    await page.route('**/console/api/settled', (route) => route.fulfill({ json: { ...settled, pending: 12 } }));
    await window.go('/feeds');
    await page.getByRole('link', { name: 'Feed health 12 dead letters' }).waitFor();
    await window.checkScreen('badge');
  });
});

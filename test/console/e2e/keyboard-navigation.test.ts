import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, stage } from './stage.ts';

const chromium = await findChromium();
const hasFocus = async (one: Locator) => (await one.and(one.page().locator(':focus')).count()) === 1;

interface Stop {
  readonly in: string;
  readonly name: string;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
}

/** Marks where the keyboard stands, and says what cannot be seen of it; null: on nothing. */
const standHere = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body || at.dataset.stop) return null;
  at.dataset.stop = document.querySelectorAll('[data-stop]').length;
  const { top, left, bottom, right } = at.getBoundingClientRect();
  const under = document.elementFromPoint((Math.max(left, 0) + Math.min(right, innerWidth)) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2);
  const isBare = under && (at.contains(under) || under.contains(at) || under.closest('label')?.contains(at));
  return getComputedStyle(at).outlineStyle === 'none' ? 'has no outline' : isBare || at.classList.contains('skip') ? '' : 'is covered by ' + under?.className;
})()`;

const whereStopsAre = `[...document.querySelectorAll('[data-stop]')].toSorted((one, other) => one.dataset.stop - other.dataset.stop).map((at) => {
  const { top, left, bottom } = at.getBoundingClientRect();
  const holder = at.closest('.panel-side, .play > *, .rail, #content');
  return { in: holder?.className || holder?.id || '', name: at.tagName + ' ' + (at.getAttribute('aria-label') ?? at.textContent ?? '').trim().slice(0, 40), top, left, bottom };
})`;

/** All stops of the Tab key from the beginning of the page to its end, as they stand together; and which of them could not be seen. */
async function stopsOf(page: Page): Promise<{ stops: readonly Stop[]; unseen: readonly string[] }> {
  const unseen: string[] = [];
  for (let pressed = 0; pressed < 150; pressed += 1) {
    await page.keyboard.press('Tab');
    const wrong = await page.evaluate<string | null>(standHere);
    if (wrong === null) break;
    if (wrong !== '') unseen.push(`stop ${pressed} ${wrong}`);
  }
  return { stops: await page.evaluate<Stop[]>(whereStopsAre), unseen };
}

/** Stops that do not come after the one before them: on one line from left to right, else downward. */
const outOfOrder = (stops: readonly Stop[]): readonly string[] =>
  stops.flatMap((stop, index) => {
    const before = stops[index - 1];
    if (!before || before.in !== stop.in) return [];
    const isOneLine = stop.top < before.bottom - 4 && stop.bottom > before.top + 4;
    const follows = isOneLine ? stop.left >= before.left - 1 : stop.top >= before.bottom - 4;
    return follows ? [] : [`${stop.name} after ${before.name}`];
  });

describe.skipIf(chromium === null)('what a keyboard reaches', { timeout: 120_000 }, () => {
  let on: Stage;
  let keyId: string;
  beforeAll(async () => {
    on = await stage(chromium ?? '');
    ({ id: keyId } = await on.key('Splunk bridge'));
    await on.key('Sentinel poller, West Europe', ['logs:read', 'detections:read']);
  }, 60_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  const focused = (page: Page) =>
    page.evaluate<string>(
      `(({ id, tagName, textContent }) => id || tagName + ' ' + (textContent ?? '').trim())(document.activeElement)`,
    );
  const paths = ['/keys', `/keys?key=`, '/playground', '/feeds', '/feeds/dead-letters', '/audit', '/members'];

  test.each([
    ['1440', 1440],
    ['720', 720],
    ['390', 390],
  ])('stops come in the order of reading and are seen, at %s px', async (name, width) => {
    await using window = await on.open('admin', { width, height: 900 });
    const { page } = window;
    for (const path of paths) {
      await window.go(path.endsWith('key=') && width > 1_100 ? path + keyId : path.replace(/\?key=$/, ''));
      await page.locator('main table, main form, main .empty').first().waitFor();
      const { stops, unseen } = await stopsOf(page);
      expect(stops.length, path).toBeGreaterThan(5);
      expect(stops[0]?.name, path).toContain('Skip to content');
      expect(unseen, path).toEqual([]);
      expect(outOfOrder(stops), path).toEqual([]);
    }
    await window.wellAs(`reach-${name}`);
  });

  test('the first Tab stop skips the navigation', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.locator('main table').waitFor();
    await page.keyboard.press('Tab');
    await window.wellAs('skip-link');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('BUTTON New key');
  });

  test('what opens gives the focus back when it closes', async () => {
    await using window = await on.open('admin', { theme: 'dark' });
    const { page } = window;
    await window.go('/keys');
    await page.locator('main table').waitFor();
    for (const button of ['New key', /^All tenants|Tenant/, /^Maria Nowak/, /^Go to/]) {
      const opener = page.getByRole('button', { name: button });
      await opener.focus();
      await page.keyboard.press('Enter');
      await page.locator(':is(dialog[open], :popover-open)').waitFor();
      if (String(button).includes('Maria')) await window.wellAs('person-menu');
      await page.keyboard.press('Escape');
      await page.locator(':is(dialog[open], :popover-open)').waitFor({ state: 'detached' });
      expect(await hasFocus(opener), String(button)).toBe(true);
    }
    await page.getByRole('button', { name: /^Maria Nowak/ }).click();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused(page)).toContain('Maria Nowak');
    await window.wellAs('focus-given-back');
  });

  test.each([
    ['720', { width: 720, height: 900 }],
    ['390-dark-polish', { width: 390, height: 844, theme: 'dark', language: 'pl' }],
  ] as const)('on a narrow page the rail is a menu and the detail lies over everything, %s', async (name, options) => {
    await using window = await on.open('admin', options);
    const { page } = window;
    const isPolish = name.includes('polish');
    await window.go('/keys');
    await page.locator('main table').waitFor();
    const menu = page.locator('.rail > .menu');
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.locator('.rail nav').waitFor();
    await window.wellAs(`menu-${name}`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await page.locator('.rail nav').waitFor({ state: 'hidden' });
    expect(await hasFocus(menu)).toBe(true);
    await page.keyboard.press('Enter');
    await page.locator('.rail .rail-foot > button').click();
    await page.locator('#user-menu').waitFor();
    await window.wellAs(`person-menu-${name}`);
    await page.keyboard.press('Escape');
    await page
      .locator('.rail nav')
      .getByRole('link', { name: isPolish ? 'Klucze API' : 'API keys' })
      .click();
    await page.locator('.rail nav').waitFor({ state: 'hidden' });

    const row = page.getByRole('button', { name: 'Splunk bridge' });
    await row.focus();
    await page.keyboard.press('Enter');
    const detail = page.locator('.panel-side');
    await detail.getByRole('heading', { name: 'Splunk bridge' }).waitFor();
    expect(await hasFocus(detail)).toBe(true);
    for (let stops = 0; stops < 12; stops += 1) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(
          `document.activeElement === document.body || document.querySelector('.panel-side').contains(document.activeElement)`,
        ),
        'nothing beneath is reached',
      ).toBe(true);
    }
    await window.wellAs(`detail-over-${name}`);
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
    expect(await hasFocus(row)).toBe(true);
    expect(await page.locator('[inert]').count()).toBe(0);
  });

  test('without colours of its own, without motion, and on paper', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    await window.go(`/keys?key=${keyId}`);
    await page.locator('.panel-side h2').waitFor();
    expect(await styleOf(page, '.rail nav a.active', 'outlineStyle'), 'where one is').toBe('solid');
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    expect(await styleOf(page, '[role=option][aria-selected=true]', 'outlineStyle')).toBe('solid');
    expect(
      await page.evaluate('document.getAnimations().filter(({ playState }) => playState === "running").length'),
    ).toBe(0);
    await window.wellAs('forced-colours');
    await page.keyboard.press('Escape');
    await page.emulateMedia({ media: 'print', forcedColors: 'none', colorScheme: 'dark' });
    expect(await page.locator('.rail').isVisible()).toBe(false);
    expect(await page.getByRole('heading', { name: 'API keys' }).isVisible()).toBe(true);
    expect(await styleOf(page, 'body', 'color'), 'dark on light').toBe('rgb(20, 24, 28)');
    await page.screenshot({ path: '.tenantscope/screens/print.png', fullPage: true });
    await page.emulateMedia({ media: 'screen' });
    await window.wellAs('after-print');
  });

  test('a loading screen does not shift its layout, and a reload preserves the view', {
    timeout: 240_000,
  }, async () => {
    for (const options of [{}, { width: 390, height: 844, language: 'pl' }] as const) {
      await using window = await on.open('admin', options);
      const { page } = window;
      // Answers that take a while, so that whatever stands in for them is seen.
      await page.route('**/console/api/**', async (route) => {
        await new Promise((done) => setTimeout(done, 500));
        await route.continue().catch(() => {});
      });
      await page.addInitScript({
        content: `window.jumps = []; new PerformanceObserver((list) => { for (const shift of list.getEntries())
          if (!shift.hadRecentInput) window.jumps.push([shift.value, shift.sources.map(({ node }) => node?.outerHTML?.slice(0, 80)).join(' | ')]); })
          .observe({ type: 'layout-shift', buffered: true });`,
      });
      for (const path of [
        `/keys?view=active&key=${keyId}`,
        '/keys?filter=splunk',
        '/playground?operation=list_detections',
        '/feeds?feed=logs',
        '/feeds/dead-letters?state=all',
        '/audit?act=created',
        '/members',
      ]) {
        await window.go(path);
        await page.locator('main table, main form, main .empty').first().waitFor();
        await page.locator('.settled .status-good').waitFor();
        await page.waitForTimeout(900);
        const jumps = await page.evaluate<[number, string][]>('window.jumps');
        const sum = jumps.reduce((all, [value]) => all + value, 0);
        expect(
          sum,
          `${path} ${JSON.stringify(options)}: ${jumps.map((jump) => jump.join(' ')).join('\n')}`,
        ).toBeLessThan(0.05);
        const before = await page.evaluate<string[]>(viewNow);
        await page.reload();
        await page.locator('main table, main form, main .empty').first().waitFor();
        await page.waitForTimeout(1_200);
        expect(await page.evaluate<string[]>(viewNow), path).toEqual(before);
        expect(page.url()).toContain(path);
      }
      await window.wellAs(`still-${options.width ?? 1440}`);
    }
  });
});

const styleOf = (page: Page, selector: string, property: string) =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`);

/** What is chosen, filled in and open; what changes by itself is none of it. */
const viewNow = `[...document.querySelectorAll('main :is(h1, h2, th, button, input, select, [aria-current])')].map((one) =>
  [one.tagName, one.type, one.value, one.getAttribute('aria-current'), one.getAttribute('aria-pressed'), one.tagName === 'SELECT' || one.tagName === 'TR' ? '' : one.textContent].join(' '))`;

// @module-tag torture
import type { Locator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../../torture/random.ts';
import { findChromium } from './chromium.ts';
import { type Stage, startStage } from './stage.ts';
import type { WindowOptions } from './window.ts';

const chromium = await findChromium();
const hasFocus = async (one: Locator) => (await one.and(one.page().locator(':focus')).count()) === 1;

interface Stop {
  readonly in: string;
  readonly name: string;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
}

/** Marks the focused element and returns why it is not visible ('' if it is); null: no further element has the focus. */
const markFocused = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body || at.dataset.stop) return null;
  at.dataset.stop = document.querySelectorAll('[data-stop]').length;
  const { top, left, bottom, right } = at.getBoundingClientRect();
  const under = document.elementFromPoint((Math.max(left, 0) + Math.min(right, innerWidth)) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2);
  const isBare = under && (at.contains(under) || under.contains(at) || under.closest('label')?.contains(at));
  return getComputedStyle(at).outlineStyle === 'none' ? 'has no outline' : isBare || at.classList.contains('skip') ? '' : 'is covered by ' + under?.className;
})()`;

const listStops = `[...document.querySelectorAll('[data-stop]')].toSorted((one, other) => one.dataset.stop - other.dataset.stop).map((at) => {
  const { top, left, bottom } = at.getBoundingClientRect();
  const container = at.closest('.panel-side, .play > *, .rail, #content');
  return { in: container?.className || container?.id || '', name: at.tagName + ' ' + (at.getAttribute('aria-label') ?? at.textContent ?? '').trim().slice(0, 40), top, left, bottom };
})`;

/** Presses Tab from the beginning of the page to its end; returns all stops in this order, and those that are not visible. */
async function collectStops(page: Page): Promise<{ stops: readonly Stop[]; unseen: readonly string[] }> {
  const unseen: string[] = [];
  for (let pressed = 0; pressed < 150; pressed += 1) {
    await page.keyboard.press('Tab');
    const wrong = await page.evaluate<string | null>(markFocused);
    if (wrong === null) break;
    if (wrong !== '') unseen.push(`stop ${pressed} ${wrong}`);
  }
  return { stops: await page.evaluate<Stop[]>(listStops), unseen };
}

/** Finds stops that do not follow the previous one: on one line from left to right, otherwise downward. */
const findOutOfOrder = (stops: readonly Stop[]): readonly string[] =>
  stops.flatMap((stop, index) => {
    const before = stops[index - 1];
    if (!before || before.in !== stop.in) return [];
    const isOneLine = stop.top < before.bottom - 4 && stop.bottom > before.top + 4;
    const follows = isOneLine ? stop.left >= before.left - 1 : stop.top >= before.bottom - 4;
    return follows ? [] : [`${stop.name} after ${before.name}`];
  });

describe.skipIf(chromium === null)('keyboard navigation', { tags: ['browser'] }, () => {
  let on: Stage;
  let keyId: string;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
    ({ id: keyId } = await on.createKey('Splunk bridge'));
    await on.createKey('Sentinel poller, West Europe', ['logs:read', 'detections:read']);
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  const readFocused = (page: Page) =>
    page.evaluate<string>(
      `(({ id, tagName, textContent }) => id || tagName + ' ' + (textContent ?? '').trim())(document.activeElement)`,
    );
  const paths = ['/keys', `/keys?key=`, '/playground', '/feeds', '/feeds/dead-letters', '/audit', '/members'];

  test.each([
    ['1440', 1440],
    ['720', 720],
    ['390', 390],
  ])('Tab stops follow the reading order and are visible at %s px', async (name, width) => {
    await using window = await on.open('admin', { width, height: 900 });
    const { page } = window;
    for (const path of paths) {
      await window.go(path.endsWith('key=') && width > 1_100 ? path + keyId : path.replace(/\?key=$/, ''));
      await page.locator('main table, main form, main .empty').first().waitFor();
      const { stops, unseen } = await collectStops(page);
      expect(stops.length, path).toBeGreaterThan(5);
      expect(stops[0]?.name, path).toContain('Skip to content');
      expect(unseen, path).toEqual([]);
      expect(findOutOfOrder(stops), path).toEqual([]);
    }
    await window.checkScreen(`keyboard-${name}`);
  });

  test('the first Tab stop skips the navigation', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.locator('main table').waitFor();
    await page.keyboard.press('Tab');
    await window.checkScreen('skip-link');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await readFocused(page)).toBe('BUTTON New key');
  });

  test('a dialog or menu returns the focus when it closes', async () => {
    await using window = await on.open('admin', { theme: 'dark' });
    const { page } = window;
    await window.go('/keys');
    await page.locator('main table').waitFor();
    for (const button of ['New key', /^All tenants|Tenant/, /^Maria Nowak/, /^Go to/]) {
      const opener = page.getByRole('button', { name: button });
      await opener.focus();
      await page.keyboard.press('Enter');
      await page.locator(':is(dialog[open], :popover-open)').waitFor();
      if (String(button).includes('Maria')) await window.checkScreen('user-menu');
      await page.keyboard.press('Escape');
      await page.locator(':is(dialog[open], :popover-open)').waitFor({ state: 'detached' });
      expect(await hasFocus(opener), String(button)).toBe(true);
    }
    await page.getByRole('button', { name: /^Maria Nowak/ }).click();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await readFocused(page)).toContain('Maria Nowak');
    await window.checkScreen('focus-returned');
  });

  test.each([
    ['720', { width: 720, height: 900 }],
    ['390-dark-polish', { width: 390, height: 844, theme: 'dark', language: 'pl' }],
  ] as const)(
    'on a narrow page the navigation is a menu and the detail panel covers the page: %s',
    async (name, options) => {
      await using window = await on.open('admin', options);
      const { page } = window;
      const isPolish = name.includes('polish');
      await window.go('/keys');
      await page.locator('main table').waitFor();
      const menu = page.locator('.rail > .menu');
      await menu.focus();
      await page.keyboard.press('Enter');
      await page.locator('.rail nav').waitFor();
      await window.checkScreen(`menu-${name}`);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Escape');
      await page.locator('.rail nav').waitFor({ state: 'hidden' });
      expect(await hasFocus(menu)).toBe(true);
      await page.keyboard.press('Enter');
      await page.locator('.rail .rail-foot > button').click();
      await page.locator('#user-menu').waitFor();
      await window.checkScreen(`user-menu-${name}`);
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
          'nothing below the panel has the focus',
        ).toBe(true);
      }
      await window.checkScreen(`detail-over-${name}`);
      await page.keyboard.press('Escape');
      await detail.waitFor({ state: 'detached' });
      expect(await hasFocus(row)).toBe(true);
      expect(await page.locator('[inert]').count()).toBe(0);
    },
  );

  test('forced colors, reduced motion and paper output are supported', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    await window.go(`/keys?key=${keyId}`);
    await page.locator('.panel-side h2').waitFor();
    expect(await readStyle(page, '.rail nav a.active', 'outlineStyle'), 'the current screen').toBe('solid');
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    expect(await readStyle(page, '[role=option][aria-selected=true]', 'outlineStyle')).toBe('solid');
    expect(
      await page.evaluate('document.getAnimations().filter(({ playState }) => playState === "running").length'),
    ).toBe(0);
    await window.checkScreen('forced-colors');
    await page.keyboard.press('Escape');
    await page.emulateMedia({ media: 'print', forcedColors: 'none', colorScheme: 'dark' });
    expect(await page.locator('.rail').isVisible()).toBe(false);
    expect(await page.getByRole('heading', { name: 'API keys' }).isVisible()).toBe(true);
    expect(await readStyle(page, 'body', 'color'), 'dark text on white').toBe('rgb(20, 24, 28)');
    await page.screenshot({ path: '.tenantscope/screens/print.png', fullPage: true });
    await page.emulateMedia({ media: 'screen' });
    await window.checkScreen('after-print');
  });

  test('a loading screen does not shift its layout, and a reload preserves the view', {
    timeout: 240_000,
  }, async () => {
    const checkWindow = async (options: WindowOptions, paths: readonly string[]) => {
      await using window = await on.open('admin', options);
      const { page } = window;
      let waiting = 0;
      // Delays every response, so that the loading state is visible.
      await page.route('**/console/api/**', async (route) => {
        waiting += 1;
        await new Promise((done) => setTimeout(done, 500));
        await route.continue().catch(() => {});
      });
      const end = (request: Request) => {
        if (request.url().includes('/console/api/')) waiting -= 1;
      };
      page.on('requestfinished', end).on('requestfailed', end);
      /** Every response is there and shown, in two frames that are alike. */
      const waitUntilLoaded = async () => {
        await page.locator('main table, main form, main .empty').first().waitFor();
        // The script of a detail is loaded when its list is there.
        if (/[?&]key=/.test(page.url())) await page.locator('.panel-side h2').waitFor();
        await page.locator('main .skeleton').waitFor({ state: 'detached' });
        await expect.poll(() => waiting).toBe(0);
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      };
      await page.addInitScript({
        content: `window.jumps = []; new PerformanceObserver((list) => { for (const shift of list.getEntries())
          if (!shift.hadRecentInput) window.jumps.push([shift.value, shift.sources.map(({ node }) => node?.outerHTML?.slice(0, 80)).join(' | ')]); })
          .observe({ type: 'layout-shift', buffered: true });`,
      });
      for (const path of paths) {
        await window.go(path);
        await page.locator('.settled .status-good').waitFor();
        await waitUntilLoaded();
        const jumps = await page.evaluate<[number, string][]>('window.jumps');
        const sum = jumps.reduce((all, [value]) => all + value, 0);
        expect(
          sum,
          `${path} ${JSON.stringify(options)}: ${jumps.map((jump) => jump.join(' ')).join('\n')}`,
        ).toBeLessThan(0.05);
        const before = await page.evaluate<string[]>(readView);
        await page.reload();
        await waitUntilLoaded();
        await expect.poll(() => page.evaluate<string[]>(readView), { message: path }).toEqual(before);
        expect(page.url()).toContain(path);
      }
      await window.checkScreen(`still-${options.width ?? 1440}`);
    };
    const wide = [`/keys?view=active&key=${keyId}`, '/playground?operation=list_detections', '/audit?action=created'];
    const narrow = ['/keys?filter=splunk', '/feeds?feed=logs', '/feeds/dead-letters?state=all', '/members'];
    // Every path at each width in the long form, which takes 18 s of CPU time. Together, since both windows wait most of the time.
    await Promise.all([
      checkWindow({}, isLong ? [...wide, ...narrow] : wide),
      checkWindow({ width: 390, height: 844, language: 'pl' }, isLong ? [...wide, ...narrow] : narrow),
    ]);
  });
});

const readStyle = (page: Page, selector: string, property: string) =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`);

/** Reads selections, values and open parts of the page; table rows and options, which change with time, are left out, and so are rows of minutes. */
const readView = `[...document.querySelectorAll('main :is(h1, h2, th, button, input, select, [aria-current])')].filter((one) => !/^\\d\\d:\\d\\d$/.test(one.textContent)).map((one) =>
  [one.tagName, one.type, one.value, one.getAttribute('aria-current'), one.getAttribute('aria-pressed'), one.tagName === 'SELECT' || one.tagName === 'TR' ? '' : one.textContent].join(' '))`;

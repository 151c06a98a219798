import { gzipSync } from 'node:zlib';
import { en } from '@tenantscope/console/labels/en';
import { pl } from '@tenantscope/console/labels/pl';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../../torture/random.ts';
import { findChromium } from './chromium.ts';
import { type Stage, startStage } from './stage.ts';
import type { Window, WindowOptions } from './window.ts';

const chromium = await findChromium();

const collectTexts = (labels: object): string[] =>
  Object.values(labels).flatMap((value) =>
    typeof value === 'string' ? [value] : typeof value === 'object' ? collectTexts(value) : [],
  );
// The name of a language is the same in both label sets.
const polish = new Set([...collectTexts(pl), en.language]);
const english = new Set(collectTexts(en).filter((sentence) => !polish.has(sentence)));
/** The visible text of a page without code and without the names and values of the API, which are marked as untranslated. */
const readableText = `(() => {
  for (const foreign of document.querySelectorAll('[lang="en"]:not(html, option), [translate="no"], pre, code')) foreign.style.display = 'none';
  return document.body.innerText;
})()`;
/** Returns the lines of a page that are English labels. */
const findEnglish = (text: string): string[] => text.split(/[\n\t]/).filter((line) => english.has(line.trim()));

describe.skipIf(chromium === null)('every screen', { tags: ['browser'] }, () => {
  let on: Stage;
  let keyId: string;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
    ({ id: keyId } = await on.createKey('Splunk bridge'));
    await on.createKey('Sentinel poller, West Europe', ['logs:read', 'detections:read']);
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  /** `npm test` checks each width, theme and language once, `npm run torture` more combinations: one takes 7 s of CPU time. */
  const windowVariants: [string, WindowOptions][] = [
    ['light', {}],
    ['390-dark-polish', { width: 390, height: 844, theme: 'dark', language: 'pl' }],
  ];
  const furtherVariants: [string, WindowOptions][] = [
    // 1440 px at a zoom of 200 %.
    ['720', { width: 720, height: 450 }],
    ['dark', { theme: 'dark' }],
    ['polish', { language: 'pl' }],
    ['1024-dark-polish', { width: 1024, height: 768, theme: 'dark', language: 'pl' }],
    ['1024', { width: 1024, height: 768 }],
    ['720-dark-polish', { width: 720, height: 450, theme: 'dark', language: 'pl' }],
    ['390', { width: 390, height: 844 }],
  ];
  const sizes = [...windowVariants, ...furtherVariants].map(([, { width = 1440, height = 900 }]) => ({
    width,
    height,
  }));

  /** No width scrolls horizontally in the language of the window. */
  async function checkWidths({ page }: Window, name: string): Promise<void> {
    const own = page.viewportSize();
    for (const size of new Map(sizes.map((one) => [one.width, one])).values()) {
      await page.setViewportSize(size);
      const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      expect(overflow, `${name} scrolls horizontally at ${size.width} px`).toBeLessThanOrEqual(0);
    }
    if (own !== null) await page.setViewportSize(own);
  }

  test.each(isLong ? [...windowVariants, ...furtherVariants] : windowVariants)(
    'the screen loads under the content security policy without accessibility violations: %s',
    { timeout: 180_000 },
    async (name, options) => {
      await using visitor = await on.open(null, options);
      await visitor.go('/');
      await visitor.page.getByRole('button').first().waitFor();
      await visitor.checkScreen(`sign-in-${name}`);
      await visitor.go('/set-up#token-that-was-printed-on-the-host');
      await visitor.checkScreen(`set-up-${name}`);
      expect(visitor.page.url()).not.toContain('token');

      await using admin = await on.open('admin', options);
      for (const [screen, path] of [
        ['keys', '/keys'],
        ['key', `/keys?key=${keyId}`],
        ['playground', '/playground'],
        ['feeds', '/feeds'],
        ['feed', '/feeds?feed=logs'],
        ['dead-letters', '/feeds/dead-letters'],
        ['audit', '/audit'],
        ['members', '/members'],
      ] as const) {
        await admin.go(path);
        await admin.page.locator('main table, main form, main .empty').first().waitFor();
        if (screen === 'key' || screen === 'feed') await admin.page.locator('.panel-side h2').waitFor();
        await admin.page.locator('.settled .status-good').waitFor();
        await admin.checkScreen(`${screen}-${name}`);
        await checkWidths(admin, `${screen}-${name}`);
        if (options.language === 'pl')
          expect(findEnglish(await admin.page.evaluate(readableText)), `English on ${screen}`).toEqual([]);
      }
    },
  );

  test('the first screen loads at most 150 kB of compressed script', async () => {
    await using admin = await on.open('admin');
    const scripts = new Set<string>();
    admin.page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.add(new URL(response.url()).pathname);
    });
    await admin.go('/keys');
    await admin.page.locator('main table').waitFor();
    const sizes = await Promise.all(
      [...scripts].map(async (path) => {
        const response = await fetch(on.origin + path);
        return gzipSync(Buffer.from(await response.arrayBuffer()), { level: 9 }).length;
      }),
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`script of the first screen: ${(bytes / 1_000).toFixed(1)} kB by gzip`);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(150_000);
  });

  test('every role sees only its screens, and a forbidden screen names who has access', async () => {
    for (const [role, shown] of [
      ['officer', ['Playground', 'Feed health', 'Audit log', 'My account']],
      ['viewer', ['Feed health', 'Audit log', 'My account']],
    ] as const) {
      await using window = await on.open(role);
      await window.go('/keys');
      await window.page.getByText("You don't have access to this page. Contact one of these members").waitFor();
      expect(await window.page.locator('.rail nav a').allTextContents()).toEqual(shown);
      await window.checkScreen(`forbidden-${role}`);
    }
  });
});

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDirectory } from '@tenantscope/local';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';

export interface WindowOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'pl';
  /** Which tenants the person may look at; left out: all of them. */
  readonly tenantIds?: readonly string[];
  /** The test ends the session that the page is in: then the browser has lines of its own about what was asked in its name. */
  readonly endsSession?: boolean;
  /** The test stops what the page stands on: then the browser has lines of its own about answers that fail or do not come. */
  readonly meetsOutages?: boolean;
}

/** A browser window that remembers what went wrong in it. */
export interface Window extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Goes to an address below /console and waits until its title stands. */
  go(path: string): Promise<void>;
  /** Nothing against the policy, nothing in the console, no obstacle that can be found by machine; a picture is kept to be looked at. */
  wellAs(name: string): Promise<void>;
}

const axeTags = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
// In the page's own language: nothing here knows documents.
const noteViolations = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) =>
  noteViolation(violatedDirective + ' ' + blockedURI + ' ' + sourceFile + ':' + lineNumber))`;
const screens = join(stateDirectory, 'screens');
/** Where somebody proves who it is, in vain. */
const provingPath = /\/console\/api\/(sign-in\/|set-up$|reauthenticate$)/;
const outageLine =
  /^Failed to load resource: (the server responded with a status of 503 |net::ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|TIMED_OUT|ABORTED)$)/;

export async function openWindow(
  browser: Browser,
  origin: string,
  secret: string | null,
  {
    width = 1440,
    height = 900,
    theme = 'light',
    language = 'en',
    meetsOutages = false,
    endsSession = false,
  }: WindowOptions,
): Promise<Window> {
  const context = await browser.newContext({
    viewport: { width, height },
    locale: language,
    colorScheme: theme,
    timezoneId: 'Europe/Warsaw',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  if (secret !== null) await context.addCookies([{ name: 'sid', value: secret, url: origin }]);
  const wrong: string[] = [];
  await context.exposeFunction('noteViolation', (words: string) => void wrong.push(`policy: ${words}`));
  await context.addInitScript({ content: noteViolations });
  const page = await context.newPage();
  page.on('pageerror', (error) => void wrong.push(`page: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // The browser's own line about an answer that is meant to be a refusal.
    if (/^Failed to load resource: .* status of (400|403|409|429) /.test(message.text())) return;
    if (/ status of 401 /.test(message.text()) && (endsSession || provingPath.test(message.location().url))) return;
    if (meetsOutages && outageLine.test(message.text())) return;
    wrong.push(`console: ${message.text()}`);
  });
  return {
    page,
    context,
    async go(path) {
      await page.goto(`${origin}/console${path}`);
      await page.waitForSelector('h1');
    },
    async wellAs(name) {
      await mkdir(screens, { recursive: true });
      await page.evaluate('Promise.allSettled(document.getAnimations().map((animation) => animation.finished))');
      await page.screenshot({ path: join(screens, `${name}.png`) });
      expect(await obstaclesOn(page), `obstacles on ${name}`).toEqual([]);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
      expect(wrong, name).toEqual([]);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

async function obstaclesOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run({ runOnly: ${JSON.stringify(axeTags)} })`);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
  );
}

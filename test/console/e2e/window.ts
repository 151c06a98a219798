import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { stateDirectory } from '@tenantscope/local';
import type { Result } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';

export interface WindowOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'pl';
  /** Tenants that the user may read; all if omitted. */
  readonly tenantIds?: readonly string[];
  /** The test ends the session of the page: the console messages of the browser about status 401 are ignored. */
  readonly endsSession?: boolean;
  /** The test stops a service that the page depends on: the console messages of the browser about failed requests are ignored. */
  readonly expectsOutages?: boolean;
}

/** A browser window that collects policy violations, page errors and console messages. */
export interface Window extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a path below /console and waits for its heading. */
  go(path: string): Promise<void>;
  /**
   * Expects no policy violation, no console message, no horizontal scrolling and no violation that axe finds. With TENANTSCOPE_TEST_SCREENSHOTS=1 it
   * saves a screenshot in .tenantscope/screens.
   */
  checkScreen(name: string): Promise<void>;
}

/** Minified: parsed in 40 ms instead of 140. */
const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Violations are complete; what passes is not described, which takes half of the 0.5 s of CPU time. */
const axeOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
};
// A string, because this file is compiled without the DOM types.
const noteViolations = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) =>
  noteViolation(violatedDirective + ' ' + blockedURI + ' ' + sourceFile + ':' + lineNumber))`;
/** Null: a screenshot takes 0.2 s of CPU time, and a run has 150. */
const screens = process.env.TENANTSCOPE_TEST_SCREENSHOTS === '1' ? join(stateDirectory, 'screens') : null;
/** Requests that a test sends with wrong credentials; 401 is expected. */
const credentialPath = /\/console\/api\/(sign-in\/|set-up$|reauthenticate$|credentials\/password$)/;
const polledPath = /\/console\/api\/(?!playground)/;
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
    expectsOutages = false,
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
  const problems: string[] = [];
  await context.exposeFunction('noteViolation', (violation: string) => void problems.push(`policy: ${violation}`));
  await context.addInitScript({ content: noteViolations });
  // A busy machine, not a slow page: a test that fails waits longer, one that passes does not.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  // A session or feed query of more than 2.5 s gets 503, and the screen requests it again. A change that gets 503 is a problem.
  const unrecovered = new Set<string>();
  page.on('response', (response) => {
    const [method, url] = [response.request().method(), response.url()];
    if (response.ok()) unrecovered.delete(url);
    if (expectsOutages || response.status() !== 503 || !polledPath.test(url)) return;
    if (method === 'GET') unrecovered.add(url);
    else problems.push(`response: 503 to ${method} ${url}`);
  });
  page.on('pageerror', (error) => void problems.push(`page: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // The browser logs every response 4xx; these are expected.
    if (/^Failed to load resource: .* status of (400|403|409|429) /.test(message.text())) return;
    if (/ status of 401 /.test(message.text()) && (endsSession || credentialPath.test(message.location().url))) return;
    // Judged by the response: checkScreen expects that the request was repeated and succeeded.
    if (/ status of 503 /.test(message.text()) && polledPath.test(message.location().url)) return;
    if (expectsOutages && outageLine.test(message.text())) return;
    problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  return {
    page,
    context,
    async go(path) {
      await page.goto(`${origin}/console${path}`);
      await page.waitForSelector('h1');
    },
    async checkScreen(name) {
      await page.evaluate('Promise.allSettled(document.getAnimations().map((animation) => animation.finished))');
      if (screens !== null) await page.screenshot({ path: join(screens, `${name}.png`) });
      expect(await findAccessibilityViolations(page), `accessibility violations on ${name}`).toEqual([]);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(overflow, `${name} scrolls horizontally`).toBeLessThanOrEqual(0);
      await expect.poll(() => [...unrecovered], { message: name }).toEqual([]);
      expect(problems, name).toEqual([]);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

async function findAccessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(await axeSource);
  const violations = await page.evaluate<Result[]>(
    `axe.run(${JSON.stringify(axeOptions)}).then(({ violations }) => violations)`,
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
  );
}

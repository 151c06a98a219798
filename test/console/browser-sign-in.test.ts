import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './e2e/chromium.ts';
import { clientSecret, startTestProvider, type TestProvider } from './identity-provider.ts';
import { createTestConsole, type TestConsole } from './test-console.ts';

const executablePath = await findChromium();

// What only a browser decides: which cookies it sends from another site, which origin it reports, and how an authenticator responds.
describe.skipIf(executablePath === null)('sign-in in a browser', { tags: ['browser'] }, () => {
  let provider: TestProvider;
  let running: TestConsole;
  let browser: Browser;
  beforeAll(async () => {
    provider = await startTestProvider();
    running = await createTestConsole(
      {},
      {
        host: 'localhost',
        settings: (organizationId) => ({
          TENANTSCOPE_CONSOLE_OIDC_ISSUER: provider.issuer,
          TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console',
          TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
          TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'admins',
          TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
        }),
      },
    );
    provider.register(running.origin);
    await provider.stop();
    await provider.start();
    browser = await chromium.launch({ executablePath: executablePath ?? '' });
  });
  afterAll(async () => {
    await browser?.close();
    await running?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
  });

  /** Opens a page, with a DevTools session that evaluates code in it. */
  async function openPage() {
    const context = await browser.newContext();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    return { page, session, [Symbol.asyncDispose]: () => context.close() };
  }

  async function evaluate(session: CDPSession, expression: string) {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression: `(async () => { ${expression} })()`,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  const post = `const post = async (path, body) => {
    const response = await fetch('/console/api' + path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    const result = await response.json();
    if (!response.ok) throw new Error(result.error.code + ': ' + result.error.message);
    return result;
  };`;
  /** With the cookies of the page, but not in it: the page navigates when its session ends. */
  const readMe = async (page: Page) => (await page.request.get(`${running.origin}/console/api/me`)).json();

  /** Fills in the provider's pages, as a user does. */
  async function signInAtProvider(page: Page, login: string): Promise<void> {
    await page.locator('input[name=login]').fill(login);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('button[type=submit]').click();
  }

  test('single sign-on redirects to the provider and back, with the session in an HttpOnly cookie', async () => {
    await using visitor = await openPage();
    const { page, session } = visitor;
    provider.account = { sub: 'ada', name: 'Ada Nowak', groups: ['admins'] };
    await page.goto(`${running.origin}/console/auth/start?to=/console/audit`);
    await signInAtProvider(page, 'ada');
    await page.waitForURL(`${running.origin}/console/audit`);
    expect(await readMe(page)).toMatchObject({ member: { name: 'Ada Nowak', role: 'admin', source: 'oidc' } });
    expect(await evaluate(session, 'return document.cookie;')).toBe('');
    const { signOutUrl } = await evaluate(session, `${post} return post('/sign-out', {});`);
    expect(new URL(signOutUrl).origin).toBe(provider.issuer);
    expect(await readMe(page)).toMatchObject({ error: { code: 'NOT_SIGNED_IN' } });
  });

  test('an account without a group is redirected to the sign-in page, which shows the reason once', async () => {
    await using visitor = await openPage();
    const { page } = visitor;
    provider.account = { sub: 'beda', name: 'Beda', groups: [] };
    await page.goto(`${running.origin}/console/auth/start`);
    await signInAtProvider(page, 'beda');
    await page.waitForURL(`${running.origin}/console/sign-in`);
    expect(await readMe(page)).toMatchObject({ error: { code: 'NOT_SIGNED_IN' } });
  });

  test('a browser authenticator creates a passkey at set-up and signs in with it', async () => {
    await using visitor = await openPage();
    const { page, session } = visitor;
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${running.origin}/console/`);
    const token = await running.createSetUpToken('admin');
    const name = 'Cyril Łuczak';
    const { recoveryCodes } = await evaluate(
      session,
      `${post}
      const offer = PublicKeyCredential.parseCreationOptionsFromJSON(await post('/set-up/passkey/options', { name: '${name}' }));
      const response = (await navigator.credentials.create({ publicKey: offer })).toJSON();
      return post('/set-up', { token: '${token}', name: '${name}', password: 'a long enough password', passkey: { name: 'Browser', response } });`,
    );
    expect(recoveryCodes).toHaveLength(10);
    await evaluate(session, `${post} return post('/sign-out', {});`);
    const byPasskey = `${post}
      const offer = PublicKeyCredential.parseRequestOptionsFromJSON(await post('/sign-in/passkey/options', {}));
      const response = (await navigator.credentials.get({ publicKey: offer })).toJSON();`;
    await evaluate(session, `${byPasskey} return post('/sign-in/passkey/verify', { response });`);
    expect(await readMe(page)).toMatchObject({ member: { name, role: 'admin', source: 'local' } });
    await evaluate(session, `${byPasskey} return post('/reauthenticate', { passkey: response });`);
  });
});

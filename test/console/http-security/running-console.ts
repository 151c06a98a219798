import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { buildConsolePages } from '@tenantscope/local';
import pg from 'pg';
import { afterAll } from 'vitest';
import { clientSecret, startTestProvider, type TestProvider } from '../identity-provider.ts';
import { type ConsoleClient, createTestConsole, type TestConsole } from '../test-console.ts';

/** A console and clients for requests that its pages never send. */
export interface RunningConsole {
  readonly provider: TestProvider;
  readonly running: TestConsole;
  readonly superuser: pg.Client;
  readonly admin: ConsoleClient;
  readonly anonymous: ConsoleClient;
  /** Settings for sign-in through the identity provider. */
  readonly providerSettings: (organizationId: string) => Record<string, string>;
  /** Sends the request unchanged; fetch would normalize it. */
  readonly send: (
    method: string,
    path: string,
    headers?: Record<string, string>,
    body?: string | Buffer,
  ) => Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>;
  /** The headers of the administrator's session. */
  readonly sessionHeaders: () => { Cookie: string };
  /** The headers of a change from one of the console's own pages. */
  readonly sameOriginHeaders: () => { Origin: string; 'Sec-Fetch-Site': string; 'Content-Type': string };
}

/** Starts a console with an identity provider for the tests of a file. */
export async function startConsole(): Promise<RunningConsole> {
  await using started = new AsyncDisposableStack();
  await buildConsolePages();
  const provider = started.use(await startTestProvider());
  const providerSettings = (organizationId: string) => ({
    TENANTSCOPE_CONSOLE_OIDC_ISSUER: provider.issuer,
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console',
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
    TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'admins',
    TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
  });
  const running = started.use(
    await createTestConsole(
      {},
      {
        settings: (organizationId) => ({
          ...providerSettings(organizationId),
          TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: organizationId,
        }),
      },
    ),
  );
  provider.register(running.origin);
  await provider.stop();
  await provider.start();
  const superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  started.defer(() => superuser.end());
  const admin = await running.signIn('admin');
  await running.signIn('admin');
  const anonymous = await running.signIn(null);
  const all = started.move();
  afterAll(() => all.disposeAsync());
  return {
    provider,
    running,
    superuser,
    admin,
    anonymous,
    providerSettings,
    send: (method, path, headers = {}, body) =>
      new Promise((resolve, reject) => {
        const { hostname, port, host } = new URL(running.origin);
        const sent = httpRequest({ hostname, port, method, path, headers: { Host: host, ...headers } }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part) => (text += part));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    sessionHeaders: () => ({ Cookie: `sid=${admin.secret}` }),
    sameOriginHeaders: () => ({
      Origin: running.origin,
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': 'application/json',
    }),
  };
}

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { buildConsolePages } from '@tenantscope/local';
import pg from 'pg';
import { afterAll } from 'vitest';
import { clientSecret, type TestProvider, testProvider } from '../provider.ts';
import { type TestConsole, testConsole, type Visitor } from '../visitor.ts';

/** What the console answers to whoever knocks in a way that its pages never do. */
export interface FrontDoor {
  readonly provider: TestProvider;
  readonly running: TestConsole;
  readonly superuser: pg.Client;
  readonly admin: Visitor;
  readonly nobody: Visitor;
  /** What a console is told for people to come in by the provider. */
  readonly byProvider: (organizationId: string) => Record<string, string>;
  /** By the wire: whatever is written there is sent, which fetch would mend. */
  readonly knock: (
    method: string,
    path: string,
    headers?: Record<string, string>,
    body?: string | Buffer,
  ) => Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>;
  /** The headers of the administrator's session. */
  readonly signedIn: () => { Cookie: string };
  /** The headers of a change that a page of ours makes. */
  readonly ours: () => { Origin: string; 'Sec-Fetch-Site': string; 'Content-Type': string };
}

/** A console, with its provider, for the tests of one file. */
export async function frontDoor(): Promise<FrontDoor> {
  await using started = new AsyncDisposableStack();
  await buildConsolePages();
  const provider = started.use(await testProvider());
  const byProvider = (organizationId: string) => ({
    TENANTSCOPE_CONSOLE_OIDC_ISSUER: provider.issuer,
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console',
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
    TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'admins',
    TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
  });
  const running = started.use(
    await testConsole(
      {},
      {
        settings: (organizationId) => ({
          ...byProvider(organizationId),
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
  const admin = await running.visitor('admin');
  await running.visitor('admin');
  const nobody = await running.visitor(null);
  const all = started.move();
  afterAll(() => all.disposeAsync());
  return {
    provider,
    running,
    superuser,
    admin,
    nobody,
    byProvider,
    knock: (method, path, headers = {}, body) =>
      new Promise((resolve, reject) => {
        const { hostname, port, host } = new URL(running.origin);
        const sent = httpRequest({ hostname, port, method, path, headers: { Host: host, ...headers } }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part) => (text += part));
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    signedIn: () => ({ Cookie: `sid=${admin.secret}` }),
    ours: () => ({ Origin: running.origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' }),
  };
}

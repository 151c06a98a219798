import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, type Configuration, Provider } from 'oidc-provider';

/** An identity provider that signs in the account that the test sets. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The account that signs in next, with its claims. */
  account: Record<string, unknown> & { sub: string };
  /** Stops and restarts the server. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Registers the callback of a console. */
  register(origin: string): void;
  /** Signs in on the provider's pages like a browser; returns the callback URL. */
  signIn(from: string): Promise<string>;
}

const clientId = 'console';
export const clientSecret = 'a secret of the client, long enough';

export async function startTestProvider(): Promise<TestProvider> {
  const origins: string[] = [];
  let server: Server;
  let port = 0;
  let provider: Provider;
  const testProvider: TestProvider = {
    issuer: '',
    account: { sub: 'nobody' },
    register: (origin) => void origins.push(origin),
    async start() {
      const issuer = `http://127.0.0.1:${port}`;
      provider = new Provider(issuer, configuration(origins, testProvider));
      server = provider.listen(port, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    signIn: (from) => walk(from, testProvider.account.sub),
    [Symbol.asyncDispose]: () => testProvider.stop(),
  };
  const probe = new Provider('http://127.0.0.1', {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  port = (probe.address() as AddressInfo).port;
  await new Promise((resolve) => probe.close(resolve));
  await testProvider.start();
  return Object.assign(testProvider, { issuer: `http://127.0.0.1:${port}` });
}

function configuration(origins: readonly string[], provided: TestProvider): Configuration {
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: origins.map((origin) => `${origin}/console/auth/callback`),
        post_logout_redirect_uris: origins.map((origin) => `${origin}/console/sign-in`),
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'groups'], email: ['email'] },
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    findAccount: (_, sub): Account => ({ accountId: sub, claims: async () => ({ ...provided.account, sub }) }),
    features: { devInteractions: { enabled: true } },
  };
}

/** Follows redirects and submits the provider's forms with its cookies, until another site is reached. */
async function walk(from: string, login: string): Promise<string> {
  const { origin } = new URL(from);
  const cookies = new Map<string, string>();
  let next = { url: from, form: null as URLSearchParams | null };
  for (let step = 0; step < 12; step += 1) {
    const response = await fetch(next.url, {
      method: next.form === null ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(next.form === null ? {} : { body: next.form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      const url = new URL(location, next.url);
      if (url.origin !== origin) return url.href;
      next = { url: url.href, form: null };
      continue;
    }
    const page = await response.text();
    const action = /<form[^>]+action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) throw new Error(`the provider shows ${response.status}: ${page.slice(0, 500)}`);
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? 'login';
    next = { url: new URL(action, next.url).href, form: new URLSearchParams({ prompt, login, password: 'any' }) };
  }
  throw new Error('the provider redirects in a circle');
}

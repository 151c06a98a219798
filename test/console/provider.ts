import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, type Configuration, Provider } from 'oidc-provider';

/** An identity provider of one's own, whose people are whoever the test says. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Who signs in next, and what is claimed of them. */
  person: Record<string, unknown> & { sub: string };
  /** Nobody answers any more, or again. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Allows a console to send people here. */
  register(origin: string): void;
  /** A browser's way through the provider's pages, from where it was sent to where it is sent back. */
  walk(from: string): Promise<string>;
}

const clientId = 'console';
export const clientSecret = 'a secret of the client, long enough';

export async function testProvider(): Promise<TestProvider> {
  const origins: string[] = [];
  let server: Server;
  let port = 0;
  let provider: Provider;
  const provided: TestProvider = {
    issuer: '',
    person: { sub: 'nobody' },
    register: (origin) => void origins.push(origin),
    async start() {
      const issuer = `http://127.0.0.1:${port}`;
      provider = new Provider(issuer, configuration(origins, provided));
      server = provider.listen(port, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    walk: (from) => walk(from, provided.person.sub),
    [Symbol.asyncDispose]: () => provided.stop(),
  };
  const probe = new Provider('http://127.0.0.1', {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  port = (probe.address() as AddressInfo).port;
  await new Promise((resolve) => probe.close(resolve));
  await provided.start();
  return Object.assign(provided, { issuer: `http://127.0.0.1:${port}` });
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
    findAccount: (_, sub): Account => ({ accountId: sub, claims: async () => ({ ...provided.person, sub }) }),
    features: { devInteractions: { enabled: true } },
  };
}

/** Follows redirects and submits the provider's forms with its cookies, until it leads elsewhere. */
async function walk(from: string, login: string): Promise<string> {
  const { origin } = new URL(from);
  const cookies = new Map<string, string>();
  let next = { url: from, form: null as URLSearchParams | null };
  for (let step = 0; step < 12; step += 1) {
    const answer = await fetch(next.url, {
      method: next.form === null ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(next.form === null ? {} : { body: next.form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location !== null) {
      const url = new URL(location, next.url);
      if (url.origin !== origin) return url.href;
      next = { url: url.href, form: null };
      continue;
    }
    const page = await answer.text();
    const action = /<form[^>]+action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) throw new Error(`the provider shows ${answer.status}: ${page.slice(0, 500)}`);
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? 'login';
    next = { url: new URL(action, next.url).href, form: new URLSearchParams({ prompt, login, password: 'any' }) };
  }
  throw new Error('the provider leads in a circle');
}

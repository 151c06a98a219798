import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type CollectProcess, startCollecting } from './collect-process.ts';
import { type CollectorFixture, startCollectorFixture } from './collector-fixture.ts';
import { startGoogleServer } from './google-server.ts';
import { startGraphServer } from './graph-server.ts';
import type { MicrosoftLogin } from './microsoft-login.ts';
import { startO365Server } from './o365-server.ts';
import { startOktaServer } from './okta-server.ts';

const dayMs = 86_400_000;
const stack = new AsyncDisposableStack();
let fixture: CollectorFixture;
let collect: CollectProcess;

beforeAll(async () => {
  fixture = stack.use(await startCollectorFixture());
  collect = stack.use(await startCollecting(fixture.installation.environment));
});
afterAll(() => stack.disposeAsync());

interface LateCollector {
  readonly provider: string;
  /** For which the provider retains the records of `stream`. */
  readonly retentionDays: number;
  /** From the creation to the first run that succeeds. */
  readonly lateDays: number;
  readonly stream: string;
  /** A stream of the same collector that loses nothing: its provider retains its records longer. */
  readonly complete?: string;
  start(): Promise<ProviderServer>;
}

interface ProviderServer {
  readonly server: AsyncDisposable;
  readonly secret: string;
  readonly options: readonly string[];
}

const microsoftOptions = ({ url, login }: { url: string; login: MicrosoftLogin }) => [
  ...['--url', url, '--login-url', url, '--directory-id', login.directoryId, '--client-id', login.clientId],
];

const collectors: readonly LateCollector[] = [
  {
    provider: 'o365',
    retentionDays: 7,
    lateDays: 10,
    stream: 'Audit.SharePoint',
    async start() {
      const server = await startO365Server();
      return { server, secret: server.login.clientSecret, options: microsoftOptions(server) };
    },
  },
  {
    provider: 'graph',
    retentionDays: 30,
    lateDays: 40,
    stream: 'sign-ins',
    complete: 'alerts',
    async start() {
      const server = await startGraphServer();
      return { server, secret: server.login.clientSecret, options: microsoftOptions(server) };
    },
  },
  {
    provider: 'google',
    retentionDays: 180,
    lateDays: 10,
    stream: 'login',
    complete: 'alerts',
    async start() {
      const server = await startGoogleServer();
      const { url, subject, keyFile } = server;
      return { server, secret: keyFile, options: ['--url', url, '--login-url', url, '--subject', subject] };
    },
  },
  {
    provider: 'okta',
    retentionDays: 90,
    lateDays: 100,
    stream: 'system-log',
    async start() {
      const server = await startOktaServer();
      return { server, secret: server.token, options: ['--url', server.url] };
    },
  },
];

test.each(collectors)(
  'what $provider no longer retains at a first run that succeeds after $lateDays days is one gap from the start of the collector on',
  async ({ provider, retentionDays, lateDays, stream, complete, start }) => {
    const { server, secret, options } = await start();
    await using running = new AsyncDisposableStack();
    running.use(server);
    const streams = ['--stream', stream, ...(complete === undefined ? [] : [complete])];
    const collected = running.use(await fixture.createCollector(provider, 'wrong', [...options, ...streams]));
    await eventually('a failure', 40_000, async () => ((await collected.readStream(stream))?.failures ?? 0) > 0);
    await collected.pause();
    const startAt = await collected.moveBack(lateDays);
    await writeFile(collected.secretFile, secret);
    await collected.resume();
    await collected.waitForCompletion();
    const { gaps = [] } = (await collected.readStream(stream)) ?? {};
    expect(gaps).toMatchObject([
      { from: startAt.toISOString(), reason: expect.stringContaining(`${retentionDays} days`) },
    ]);
    const daysAgo = (Date.now() - Date.parse(gaps[0]?.to ?? '')) / dayMs;
    expect(daysAgo).toBeGreaterThan(retentionDays - 0.1);
    expect(daysAgo).toBeLessThan(retentionDays);
    await eventually('a counted gap', 20_000, async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${collect.healthPort}/metrics`)).text();
      return metrics.includes(`tenantscope_collect_gaps_total{provider="${provider}"} 1\n`);
    });
    if (complete !== undefined) expect((await collected.readStream(complete))?.gaps).toEqual([]);
  },
);

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTopic } from '../cli/command-line.ts';
import { eventually } from '../installation/eventually.ts';
import { type CollectProcess, startCollecting } from './collect-process.ts';
import { type CollectorFixture, startCollectorFixture } from './collector-fixture.ts';
import { oktaEvents } from './okta-event.ts';
import { startScriptedServer } from './scripted-server.ts';

const stack = new AsyncDisposableStack();
let fixture: CollectorFixture;
let collecting: CollectProcess;

beforeAll(async () => {
  fixture = stack.use(await startCollectorFixture());
  collecting = stack.use(await startCollecting(fixture.installation.environment));
});
afterAll(() => stack.disposeAsync());

test.each(['links pages in a circle', 'refuses each link'] as const)(
  'an Okta organization that %s is requested less and less often, with the reason',
  async (fault) => {
    const events = oktaEvents(6, Date.now() - 60_000);
    await using server = await startScriptedServer(({ url }) => {
      const after = url.searchParams.get('after');
      if (after !== null && fault === 'refuses each link') return { status: 400, body: { errorSummary: 'after' } };
      const page = Number(after ?? 0) % 3;
      const next = `${url.origin}/api/v1/logs?after=${(page + 1) % 3}&limit=1000`;
      return { headers: { link: `<${next}>; rel="next"` }, body: events.slice(2 * page, 2 * page + 2) };
    });
    await using collected = await fixture.createCollector('okta', 'token', ['--url', server.url]);
    await eventually(
      'three failures in a row',
      40_000,
      async () => ((await collected.readStream())?.failures ?? 0) >= 3,
    );
    expect((await collected.readStream())?.failure).toContain('repeats a page');
    expect(server.requests.length).toBeLessThan(40);
  },
);

test('a provider that repeats credentials in its errors discloses them nowhere', async () => {
  const secret = `secret-${randomUUID()}`;
  await using server = await startScriptedServer(({ authorization }) => ({
    status: 401,
    body: { errorSummary: `Invalid token: ${authorization}` },
  }));
  await using collected = await fixture.createCollector('okta', secret, ['--url', server.url]);
  await eventually('two failures', 40_000, async () => ((await collected.readStream())?.failures ?? 0) >= 2);
  expect((await collected.readStream())?.failure).toContain('Invalid token: SSWS');
  const { rows } = await fixture.inspector.client.query<{ stored: string }>(
    'select row_to_json(s)::text stored from control.collector_stream s where collector_id = $1',
    [collected.collectorId],
  );
  await sleep(1_000);
  const statuses = await readTopic(fixture.installation.activityTopic.replace('.raw.activity.', '.compliance.'));
  const texts = [collecting.output(), rows[0]?.stored ?? '', ...statuses.map(({ value }) => String(value))];
  expect(texts.some((text) => text.includes(collected.collectorId))).toBe(true);
  expect(texts.filter((text) => text.includes(secret))).toEqual([]);
});

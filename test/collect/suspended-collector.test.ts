import { expect, test } from 'vitest';
import { readTopic } from '../cli/command-line.ts';
import { eventually } from '../installation/eventually.ts';
import { startCollecting } from './collect-process.ts';
import { startCollectorFixture } from './collector-fixture.ts';
import { graphUser } from './graph-records.ts';
import { startGraphServer } from './graph-server.ts';

test('a collector that is suspended past its lease publishes no older state of an object as the newest', async () => {
  await using fixture = await startCollectorFixture();
  const { environment, activityTopic } = fixture.installation;
  await using server = await startGraphServer();
  const user = graphUser(1);
  server.users.put(user);
  const { url, login } = server;
  await using collected = await fixture.createCollector('graph', login.clientSecret, [
    ...['--url', url, '--login-url', url, '--directory-id', login.directoryId, '--client-id', login.clientId],
    ...['--stream', 'users'],
  ]);
  // The time of its request does not end while it is suspended.
  await using suspended = await startCollecting(environment, { TENANTSCOPE_COLLECT_REQUEST_SECONDS: '600' });
  await collected.waitForCompletion();
  await collected.pause();
  server.users.put({ ...user, department: 'Legal' });
  const delayed = server.delayNext();
  await collected.resume();
  await delayed.arrived;
  suspended.kill('SIGSTOP');
  delayed.send();
  server.users.put({ ...user, department: 'Legal', accountEnabled: false });

  await using _other = await startCollecting(environment);
  await eventually('the state that the other has read', 40_000, async () => {
    return ((await collected.readStream())?.records ?? 0) >= 2;
  });
  suspended.kill('SIGCONT');
  await eventually('the lost run', 40_000, () => suspended.output().includes('"outcome":"lost"'));

  const messages = await readTopic(activityTopic.replace('.raw.activity.', '.raw.entity.'));
  const states = messages
    .map(({ value, headers }) => ({ ...(JSON.parse(String(value)) as Record<string, unknown>), time: headers.ce_time }))
    .filter((record) => 'accountEnabled' in record)
    .toSorted((a, b) => Date.parse(String(a.time)) - Date.parse(String(b.time)))
    .map(({ accountEnabled }) => accountEnabled);
  expect(states[0]).toBe(true);
  expect(states.at(-1)).toBe(false);
});

import { randomUUID } from 'node:crypto';
import { freePort } from '@tenantscope/local';
import { expect, test } from 'vitest';
import type { Broker } from '../product/broker.ts';
import { eventually } from '../product/eventually.ts';
import { startProcess } from '../product/processes.ts';
import { activityMessage, activityRecord } from '../product/records.ts';
import { ingestingConsole } from './ingesting-console.ts';

const host = await ingestingConsole();
const { running, visited, broker, looking } = host;
const admin = await visited.visitor('admin');
let { ingest } = host;

/** A record that became a letter, by its event. */
async function letterOf(message: Parameters<Broker['append']>[2][number], partition = 0): Promise<string> {
  const offset = await broker.append(running.activityTopic, partition, [message]);
  let id = '';
  await eventually('a letter is there', 20_000, async () => {
    const found = (await looking.letters()).find((one) => one.partition === partition && one.offset === String(offset));
    id = found?.id ?? '';
    return found !== undefined;
  });
  return id;
}

interface Done {
  readonly state: string;
  readonly results: { letterId: string; result: string; reason: string | null; detail: string | null }[];
}

async function done(act: string, ids: string[], more: object = {}, by = admin): Promise<Done> {
  const asked = await by.ask('POST', '/console/api/dead-letters/requests', { act, ids, ...more });
  expect(asked.status, asked.text).toBe(200);
  let shown: Done = { state: '', results: [] };
  await eventually(`${act} is done`, 40_000, async () => {
    shown = (await by.ask('GET', `/console/api/dead-letters/requests/${asked.body.id}`)).body;
    return shown.state === 'done';
  });
  return shown;
}

const outcomes = ({ results }: Done) => results.map(({ result }) => result);
const makeKnown = (id: string) =>
  looking.client.query(
    `insert into control.tenant (id, name, organization_id, plan, digest) values ($1, 'Late', $2, 'api', sha256('late'))`,
    [id, visited.organizationId],
  );
const acts = async () =>
  (await admin.ask('GET', '/console/api/audit')).body.events.map(({ act }: { act: string }) => act) as string[];

test('a poison record: it is tried, mended, tried again, replayed once, and a second replay does nothing', async () => {
  const tenantId = randomUUID();
  const id = await letterOf(activityMessage(tenantId, activityRecord(1)));

  const { body } = await admin.ask('GET', `/console/api/dead-letters?tenantId=${tenantId}`);
  expect(body.reasons).toMatchObject([{ reason: 'UNKNOWN_TENANT', count: 1 }]);
  expect(body.letters).toMatchObject([{ id, reason: 'UNKNOWN_TENANT', state: 'parked', replaysLeft: 3, tenantId }]);

  const refused = await done('dryRun', [id]);
  expect(refused.results).toMatchObject([{ letterId: id, result: 'refused', reason: 'UNKNOWN_TENANT' }]);
  expect(await looking.rowCount(tenantId)).toBe(0);

  await makeKnown(tenantId);
  expect(outcomes(await done('dryRun', [id]))).toEqual(['passes']);
  expect(await looking.rowCount(tenantId)).toBe(0);

  expect(outcomes(await done('replay', [id]))).toEqual(['projected']);
  expect(await looking.rowCount(tenantId)).toBe(1);
  expect(outcomes(await done('replay', [id]))).toEqual(['settled']);
  expect(await looking.rowCount(tenantId)).toBe(1);
  for (const act of ['tried', 'replayed']) expect(await acts()).toContain(act);
}, 120_000);

test('what nobody mended comes back as the same letter with its reason, three times at most', async () => {
  const id = await letterOf(activityMessage(randomUUID(), activityRecord(2)));
  for (let round = 1; round <= 3; round += 1) {
    const { results } = await done('replay', [id]);
    expect(results, `round ${round}`).toMatchObject([{ result: 'refused', reason: 'UNKNOWN_TENANT' }]);
  }
  expect(outcomes(await done('replay', [id]))).toEqual(['exhausted']);
}, 120_000);

test('who discards says why, which the audit keeps; a discarded letter is not replayed', async () => {
  const id = await letterOf({ ...activityMessage(randomUUID(), {}), value: '{"torn":' });
  const silent = await admin.ask('POST', '/console/api/dead-letters/requests', { act: 'discard', ids: [id] });
  expect(silent).toMatchObject({ status: 400, body: { error: { details: [{ parameter: 'reason' }] } } });
  expect(outcomes(await done('discard', [id], { reason: 'sent by a test' }))).toEqual(['discarded']);
  const { body } = await admin.ask('GET', '/console/api/audit?act=discarded');
  expect(body.events[0].after).toEqual({ letters: [id], reason: 'sent by a test' });
  expect(outcomes(await done('replay', [id]))).toEqual(['discarded']);
}, 60_000);

test('a letter is opened by an administrator, byte for byte, and the audit knows', async () => {
  const id = await letterOf({
    ...activityMessage(randomUUID(), {}),
    key: null,
    value: Buffer.from([0xff, 0x00, 0x7b]),
  });
  const { body } = await admin.ask('GET', `/console/api/dead-letters/${id}`);
  expect(body).toMatchObject({ id, key: null, value: { encoding: 'base64', text: '/wB7', bytes: 3 } });
  expect(body.headers.map(({ name }: { name: string }) => name)).toContain('ce_type');
  const opened = await admin.ask('GET', `/console/api/audit?act=opened&subjectId=${id}`);
  expect(opened.body.events).toMatchObject([{ subjectType: 'dead_letter', actor: `person:${admin.personId}` }]);
});

test('letters of tenants and organizations, which lie with the directory, are treated alike', async () => {
  const topic = running.activityTopic.replace('raw.activity', 'tenant');
  await broker.append(topic, 0, [{ key: randomUUID(), value: '{"torn":' }]);
  let id = '';
  await eventually('a letter of the directory is there', 20_000, async () => {
    const { body } = await admin.ask('GET', `/console/api/dead-letters?topic=${topic}`);
    id = body.letters[0]?.id ?? '';
    return id !== '';
  });
  const tried = await done('dryRun', [id]);
  expect(outcomes(tried)).toEqual(['refused']);
  expect(outcomes(await done('replay', [id]))).toEqual(['refused']);
  expect(outcomes(await done('discard', [id], { reason: 'torn' }))).toEqual(['discarded']);
}, 60_000);

test('others see how many there are and for what reason, and none of them', async () => {
  const id = await letterOf(activityMessage(randomUUID(), activityRecord(3)));
  for (const role of ['officer', 'viewer'] as const) {
    const visitor = await visited.visitor(role);
    const { body } = await visitor.ask('GET', '/console/api/dead-letters');
    expect(body.reasons.length, role).toBeGreaterThan(0);
    expect(body.letters, role).toEqual([]);
    expect((await visitor.ask('GET', `/console/api/dead-letters/${id}`)).status).toBe(403);
  }
});

test('who looks at some tenants sees, opens and replays their letters only', async () => {
  const [tenantId = ''] = visited.tenantIds;
  const some = await visited.visitor('admin', [tenantId]);
  const own = await letterOf(activityMessage(tenantId, { ...activityRecord(4), Operation: '' }));
  const foreign = await letterOf(activityMessage(randomUUID(), activityRecord(5)));
  const { body } = await some.ask('GET', '/console/api/dead-letters');
  expect(body.letters.map(({ id }: { id: string }) => id)).toEqual([own]);
  expect(body.reasons).toMatchObject([{ count: 1 }]);
  expect((await some.ask('GET', `/console/api/dead-letters/${foreign}`)).status).toBe(404);
  const request = { act: 'dryRun', ids: [own, foreign] };
  expect((await some.ask('POST', '/console/api/dead-letters/requests', request)).status).toBe(404);
  expect(outcomes(await done('dryRun', [own], {}, some))).toEqual(['refused']);
}, 60_000);

test('where there are other organizations, what belongs to no tenant is nobody’s to look at', async () => {
  const id = await letterOf(activityMessage(randomUUID(), activityRecord(6)));
  expect((await admin.ask('GET', `/console/api/dead-letters/${id}`)).status).toBe(200);
  const { id: other } = await visited.admin.organizations.create({ name: 'Another' });
  try {
    expect((await admin.ask('GET', `/console/api/dead-letters/${id}`)).status).toBe(404);
  } finally {
    await looking.client.query('delete from control.organization where id = $1', [other]);
  }
});

test('pages go on where they ended, and filters narrow', async () => {
  const tenantId = randomUUID();
  await letterOf(activityMessage(tenantId, activityRecord(7)));
  await looking.client.query(
    `insert into models.dead_letter (id, message_id, element, tenant_id, reason, stage, detail, worker_version)
     select gen_random_uuid(), message_id, element + n, tenant_id, reason, stage, detail, worker_version
       from models.dead_letter, generate_series(1, 149) n where tenant_id = $1`,
    [tenantId],
  );
  const ids = new Set<string>();
  let cursor = '';
  do {
    const { body } = await admin.ask('GET', `/console/api/dead-letters?tenantId=${tenantId}&cursor=${cursor}`);
    for (const { id } of body.letters) ids.add(id);
    cursor = body.nextCursor ?? '';
  } while (cursor !== '');
  expect(ids.size).toBe(150);
  const none = await admin.ask('GET', `/console/api/dead-letters?tenantId=${tenantId}&to=2020-01-01`);
  expect(none.body).toEqual({ reasons: [], topics: [], letters: [], nextCursor: null });
  for (const wrong of ['state=sideways', 'from=yesterday', 'cursor=x', 'tenantId=x'])
    expect((await admin.ask('GET', `/console/api/dead-letters?${wrong}`)).status, wrong).toBe(400);
});

test('what may be chosen instead is counted too: other reasons of a topic, other topics of a reason', async () => {
  const [tenantId = ''] = visited.tenantIds;
  await letterOf({ ...activityMessage(tenantId, {}), value: '{"torn":' }, 7);
  await letterOf(activityMessage(tenantId, { ...activityRecord(11), Operation: '' }), 7);
  const some = await visited.visitor('officer', [tenantId]);
  const { body } = await some.ask('GET', '/console/api/dead-letters?reason=INVALID_JSON');
  expect(body.reasons.map(({ reason }: { reason: string }) => reason)).toContain('MISSING_ACTION');
  expect(body.topics).toEqual([{ topic: running.activityTopic, count: 1 }]);
  const none = await some.ask('GET', '/console/api/dead-letters?topic=another');
  expect(none.body.reasons).toEqual([]);
  expect(none.body.topics.map(({ topic }: { topic: string }) => topic)).toEqual([running.activityTopic]);
}, 60_000);

test('a replay asks again who it is after a while; a dry run does not', async () => {
  const late = await visited.visitor('admin');
  await looking.client.query(
    `update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes' where person_id = $1`,
    [late.personId],
  );
  const request = (act: string) => late.ask('POST', '/console/api/dead-letters/requests', { act, ids: [randomUUID()] });
  expect((await request('replay')).body.error.code).toBe('REAUTHENTICATE');
  expect((await request('dryRun')).status).toBe(404);
});

test('while Kafka is away a replay waits and says so, nothing is counted, and a dry run does not wait for it', async () => {
  const tenantId = randomUUID();
  const id = await letterOf(activityMessage(tenantId, activityRecord(8)));
  await makeKnown(tenantId);
  await ingest[Symbol.asyncDispose]();
  const shown = async (request: string) =>
    (await admin.ask('GET', `/console/api/dead-letters/requests/${request}`)).body as Done & { trouble: string | null };
  const asked = await admin.ask('POST', '/console/api/dead-letters/requests', { act: 'replay', ids: [id] });
  {
    const nowhere = { TENANTSCOPE_KAFKA_BROKERS: `127.0.0.1:${await freePort()}` };
    await using lost = await startProcess('ingest', { ...running.environment, ...nowhere }, { waitUntilReady: false });
    await eventually('the request says why it waits', 30_000, async () => {
      if (lost.child.exitCode !== null) throw new Error(`ingest ended with ${lost.child.exitCode}:\n${lost.output()}`);
      return (await shown(asked.body.id)).trouble?.includes('Kafka') ?? false;
    });
    expect(outcomes(await done('dryRun', [id]))).toEqual(['passes']);
    const { body } = await admin.ask('GET', `/console/api/dead-letters/${id}`);
    expect(body).toMatchObject({ state: 'parked', replays: 0 });
    expect((await shown(asked.body.id)).state).not.toBe('done');
  }
  ingest = await running.startIngest();
  await eventually('the replay is done', 60_000, async () => (await shown(asked.body.id)).state === 'done');
  expect((await shown(asked.body.id)).results).toMatchObject([{ letterId: id, result: 'projected' }]);
  expect(await looking.rowCount(tenantId)).toBe(1);
}, 120_000);

test('any number of processes share the requests; who went silent is followed by another, and nothing is done twice', async () => {
  await using second = await running.startIngest();
  void second;
  const id = await letterOf(activityMessage(randomUUID(), activityRecord(9)));
  const kept = { letterId: randomUUID(), result: 'missing', reason: null, detail: 'said by the one before' };
  const held = async (takenAgoSeconds: number): Promise<string> => {
    const { rows } = await looking.client.query<{ id: string }>(
      `insert into control.letter_request (organization_id, act, letter_ids, requested_by, taken_by, taken_at, results)
       values ($1, 'dryRun', $2, $3, gen_random_uuid(), clock_timestamp() - make_interval(secs => $4), $5) returning id`,
      [visited.organizationId, [kept.letterId, id], admin.personId, takenAgoSeconds, JSON.stringify([kept])],
    );
    return rows[0]?.id ?? '';
  };
  const [busy, silent] = [await held(0), await held(60)];
  const many = await Promise.all(Array.from({ length: 6 }, () => done('dryRun', [id])));
  expect(many.map(outcomes)).toEqual(Array.from({ length: 6 }, () => ['refused']));
  const shown = async (request: string) =>
    (await admin.ask('GET', `/console/api/dead-letters/requests/${request}`)).body as Done;
  await eventually('another goes on', 10_000, async () => (await shown(silent)).state === 'done');
  expect((await shown(silent)).results).toMatchObject([kept, { letterId: id, result: 'refused' }]);
  expect((await shown(busy)).state).toBe('running');
}, 60_000);

test('a request that names letters of another organization finds none of them, however it was written', async () => {
  const id = await letterOf(activityMessage(visited.tenantIds[0] ?? '', { ...activityRecord(10), Operation: '' }));
  const { id: other } = await visited.admin.organizations.create({ name: 'Yet another' });
  try {
    const { rows } = await looking.client.query<{ id: string }>(
      `insert into control.letter_request (organization_id, act, letter_ids, reason, requested_by) values ($1, 'discard', $2, 'taken', $3) returning id`,
      [other, [id], admin.personId],
    );
    const results = async () =>
      (await looking.client.query('select results, done_at from control.letter_request where id = $1', [rows[0]?.id]))
        .rows[0];
    await eventually('it is done', 20_000, async () => (await results()).done_at !== null);
    expect((await results()).results).toMatchObject([{ letterId: id, result: 'missing' }]);
    expect((await looking.letters()).find((letter) => letter.id === id)).toMatchObject({ state: 'parked' });
  } finally {
    await looking.client.query('delete from control.letter_request where organization_id = $1', [other]);
    await looking.client.query('delete from control.organization where id = $1', [other]);
  }
});

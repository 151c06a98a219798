import { randomUUID } from 'node:crypto';
import { findFreePort } from '@tenantscope/local';
import { expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import type { Broker } from '../installation/broker.ts';
import { eventually } from '../installation/eventually.ts';
import { startProcess } from '../installation/processes.ts';
import { startIngestingConsole } from './ingesting-console.ts';

const host = await startIngestingConsole();
const { installation: running, visited, broker, inspector: looking } = host;
const admin = await visited.signIn('admin');
let { ingest } = host;

/** A record that became a deadLetterId, by its event. */
async function createDeadLetter(message: Parameters<Broker['append']>[2][number], partition = 0): Promise<string> {
  const offset = await broker.append(running.activityTopic, partition, [message]);
  let id = '';
  await eventually('a deadLetterId is there', 20_000, async () => {
    const found = (await looking.deadLetters()).find(
      (one) => one.partition === partition && one.offset === String(offset),
    );
    id = found?.id ?? '';
    return found !== undefined;
  });
  return id;
}

interface Done {
  readonly state: string;
  readonly results: { deadLetterId: string; result: string; reason: string | null; detail: string | null }[];
}

async function done(action: string, ids: string[], more: object = {}, by = admin): Promise<Done> {
  const created = await by.request('POST', '/console/api/dead-letters/requests', { action, ids, ...more });
  expect(created.status, created.text).toBe(200);
  let shown: Done = { state: '', results: [] };
  await eventually(`${action} is done`, 40_000, async () => {
    shown = (await by.request('GET', `/console/api/dead-letters/requests/${created.body.id}`)).body;
    return shown.state === 'done';
  });
  return shown;
}

const outcomes = ({ results }: Done) => results.map(({ result }) => result);
const registerTenant = (id: string) =>
  looking.client.query(
    `insert into control.tenant (id, name, organization_id, plan, digest) values ($1, 'Late', $2, 'api', sha256('late'))`,
    [id, visited.organizationId],
  );
const actions = async () =>
  (await admin.request('GET', '/console/api/audit')).body.events.map(
    ({ action }: { action: string }) => action,
  ) as string[];

test('a malformed record is dry-run, fixed, dry-run again and replayed once, and a second replay has no effect', async () => {
  const tenantId = randomUUID();
  const id = await createDeadLetter(activityMessage(tenantId, activityRecord(1)));

  const { body } = await admin.request('GET', `/console/api/dead-letters?tenantId=${tenantId}`);
  expect(body.reasons).toMatchObject([{ reason: 'UNKNOWN_TENANT', count: 1 }]);
  expect(body.deadLetters).toMatchObject([
    { id, reason: 'UNKNOWN_TENANT', state: 'pending', replaysLeft: 3, tenantId },
  ]);

  const refused = await done('dryRun', [id]);
  expect(refused.results).toMatchObject([{ deadLetterId: id, result: 'refused', reason: 'UNKNOWN_TENANT' }]);
  expect(await looking.rowCount(tenantId)).toBe(0);

  await registerTenant(tenantId);
  expect(outcomes(await done('dryRun', [id]))).toEqual(['passes']);
  expect(await looking.rowCount(tenantId)).toBe(0);

  expect(outcomes(await done('replay', [id]))).toEqual(['projected']);
  expect(await looking.rowCount(tenantId)).toBe(1);
  expect(outcomes(await done('replay', [id]))).toEqual(['settled']);
  expect(await looking.rowCount(tenantId)).toBe(1);
  for (const action of ['tried', 'replayed']) expect(await actions()).toContain(action);
});

test('a record that is not fixed returns as the same dead letter with its reason, at most three times', async () => {
  const id = await createDeadLetter(activityMessage(randomUUID(), activityRecord(2)));
  for (let round = 1; round <= 3; round += 1) {
    const { results } = await done('replay', [id]);
    expect(results, `round ${round}`).toMatchObject([{ result: 'refused', reason: 'UNKNOWN_TENANT' }]);
  }
  expect(outcomes(await done('replay', [id]))).toEqual(['exhausted']);
});

test('discarding requires a reason, which is in the audit log, and a discarded dead letter is not replayed', async () => {
  const id = await createDeadLetter({ ...activityMessage(randomUUID(), {}), value: '{"truncated":' });
  const silent = await admin.request('POST', '/console/api/dead-letters/requests', { action: 'discard', ids: [id] });
  expect(silent).toMatchObject({ status: 400, body: { error: { details: [{ parameter: 'reason' }] } } });
  expect(outcomes(await done('discard', [id], { reason: 'sent by a test' }))).toEqual(['discarded']);
  const { body } = await admin.request('GET', '/console/api/audit?action=discarded');
  expect(body.events[0].after).toEqual({ deadLetters: [id], reason: 'sent by a test' });
  expect(outcomes(await done('replay', [id]))).toEqual(['discarded']);
});

test('an administrator reads the original bytes of a dead letter, and the audit log records it', async () => {
  const id = await createDeadLetter({
    ...activityMessage(randomUUID(), {}),
    key: null,
    value: Buffer.from([0xff, 0x00, 0x7b]),
  });
  const { body } = await admin.request('GET', `/console/api/dead-letters/${id}`);
  expect(body).toMatchObject({ id, key: null, value: { encoding: 'base64', text: '/wB7', bytes: 3 } });
  expect(body.headers.map(({ name }: { name: string }) => name)).toContain('ce_type');
  const opened = await admin.request('GET', `/console/api/audit?action=opened&subjectId=${id}`);
  expect(opened.body.events).toMatchObject([{ subjectType: 'dead_letter', actor: `member:${admin.memberId}` }]);
});

test('a truncated dead letter is marked, and neither a dry run nor a replay accepts it', async () => {
  const [tenantId = ''] = visited.tenantIds;
  const id = await createDeadLetter({ ...activityMessage(tenantId, {}), value: 'x'.repeat(1_048_577) });
  const { body } = await admin.request('GET', `/console/api/dead-letters/${id}`);
  expect(body).toMatchObject({ truncated: true, value: { bytes: 65_536 }, valueBytes: 1_048_577 });
  expect(body.valueSha256).toMatch(/^[0-9a-f]{64}$/);
  for (const action of ['dryRun', 'replay'])
    expect((await done(action, [id])).results).toMatchObject([
      {
        result: 'refused',
        detail: 'Only the beginning of the 1048577 bytes is stored. Send the record again from its source.',
      },
    ]);
  expect(outcomes(await done('discard', [id], { reason: 'sent again' }))).toEqual(['discarded']);
}, 60_000);

test('dead letters of tenant and organization records, stored in the control schema, behave the same', async () => {
  const topic = running.activityTopic.replace('raw.activity', 'tenant');
  await broker.append(topic, 0, [{ key: randomUUID(), value: '{"truncated":' }]);
  let id = '';
  await eventually('a deadLetterId of the directory is there', 20_000, async () => {
    const { body } = await admin.request('GET', `/console/api/dead-letters?topic=${topic}`);
    id = body.deadLetters[0]?.id ?? '';
    return id !== '';
  });
  const tried = await done('dryRun', [id]);
  expect(outcomes(tried)).toEqual(['refused']);
  expect(outcomes(await done('replay', [id]))).toEqual(['refused']);
  expect(outcomes(await done('discard', [id], { reason: 'torn' }))).toEqual(['discarded']);
});

test('other roles see the number of dead letters by reason and no single one', async () => {
  const id = await createDeadLetter(activityMessage(randomUUID(), activityRecord(3)));
  for (const role of ['officer', 'viewer'] as const) {
    const visitor = await visited.signIn(role);
    const { body } = await visitor.request('GET', '/console/api/dead-letters');
    expect(body.reasons.length, role).toBeGreaterThan(0);
    expect(body.deadLetters, role).toEqual([]);
    expect((await visitor.request('GET', `/console/api/dead-letters/${id}`)).status).toBe(403);
  }
});

test('a member with access to some tenants sees, opens and replays only their dead letters', async () => {
  const [tenantId = ''] = visited.tenantIds;
  const some = await visited.signIn('admin', [tenantId]);
  const own = await createDeadLetter(activityMessage(tenantId, { ...activityRecord(4), Operation: '' }));
  const foreign = await createDeadLetter(activityMessage(randomUUID(), activityRecord(5)));
  const { body } = await some.request('GET', '/console/api/dead-letters');
  expect(body.deadLetters.map(({ id }: { id: string }) => id)).toEqual([own]);
  expect(body.reasons).toMatchObject([{ count: 1 }]);
  expect((await some.request('GET', `/console/api/dead-letters/${foreign}`)).status).toBe(404);
  const request = { action: 'dryRun', ids: [own, foreign] };
  expect((await some.request('POST', '/console/api/dead-letters/requests', request)).status).toBe(404);
  expect(outcomes(await done('dryRun', [own], {}, some))).toEqual(['refused']);
});

test('with several organizations, dead letters without a tenant are visible to no member', async () => {
  const id = await createDeadLetter(activityMessage(randomUUID(), activityRecord(6)));
  expect((await admin.request('GET', `/console/api/dead-letters/${id}`)).status).toBe(200);
  const { id: other } = await visited.admin.organizations.create({ name: 'Another' });
  try {
    expect((await admin.request('GET', `/console/api/dead-letters/${id}`)).status).toBe(404);
  } finally {
    await looking.client.query('delete from control.organization where id = $1', [other]);
  }
});

test('pages continue where the previous one ended, and filters apply', async () => {
  const tenantId = randomUUID();
  await createDeadLetter(activityMessage(tenantId, activityRecord(7)));
  await looking.client.query(
    `insert into models.dead_letter (id, message_id, element, topic, tenant_id, reason, stage, detail, worker_version)
     select gen_random_uuid(), message_id, element + n, topic, tenant_id, reason, stage, detail, worker_version
       from models.dead_letter, generate_series(1, 149) n where tenant_id = $1`,
    [tenantId],
  );
  const ids = new Set<string>();
  let cursor = '';
  do {
    const { body } = await admin.request('GET', `/console/api/dead-letters?tenantId=${tenantId}&cursor=${cursor}`);
    for (const { id } of body.deadLetters) ids.add(id);
    cursor = body.nextCursor ?? '';
  } while (cursor !== '');
  expect(ids.size).toBe(150);
  // In a period dead letters are counted themselves, else when they are written.
  for (const period of ['', '&from=2020-01-01', '&to=2100-01-01']) {
    const { body } = await admin.request('GET', `/console/api/dead-letters?tenantId=${tenantId}${period}`);
    expect([body.reasons[0].count, body.topics], period).toEqual([150, [{ topic: running.activityTopic, count: 150 }]]);
    expect(body.reasons[0].firstAt <= body.reasons[0].lastAt, period).toBe(true);
  }
  const empty = await admin.request('GET', `/console/api/dead-letters?tenantId=${tenantId}&to=2020-01-01`);
  expect(empty.body).toEqual({ reasons: [], topics: [], deadLetters: [], nextCursor: null, unavailableCells: [] });
  for (const wrong of ['state=sideways', 'from=yesterday', 'cursor=x', 'tenantId=x'])
    expect((await admin.request('GET', `/console/api/dead-letters?${wrong}`)).status, wrong).toBe(400);
});

test('alternatives are counted too: other reasons of a topic, other topics of a reason', async () => {
  const [tenantId = ''] = visited.tenantIds;
  await createDeadLetter({ ...activityMessage(tenantId, {}), value: '{"truncated":' }, 7);
  await createDeadLetter(activityMessage(tenantId, { ...activityRecord(11), Operation: '' }), 7);
  const some = await visited.signIn('officer', [tenantId]);
  const { body } = await some.request('GET', '/console/api/dead-letters?reason=INVALID_JSON');
  expect(body.reasons.map(({ reason }: { reason: string }) => reason)).toContain('MISSING_ACTION');
  expect(body.topics).toEqual([{ topic: running.activityTopic, count: 1 }]);
  const empty = await some.request('GET', '/console/api/dead-letters?topic=another');
  expect(empty.body.reasons).toEqual([]);
  expect(empty.body.topics.map(({ topic }: { topic: string }) => topic)).toEqual([running.activityTopic]);
});

test('a discard, which is final, requires recent re-authentication; a replay and a dry run do not', async () => {
  const late = await visited.signIn('admin');
  await looking.client.query(
    `update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes' where member_id = $1`,
    [late.memberId],
  );
  const request = (action: string) =>
    late.request('POST', '/console/api/dead-letters/requests', {
      action,
      ids: [randomUUID()],
      reason: 'test',
    });
  expect((await request('discard')).body.error.code).toBe('REAUTHENTICATE');
  expect((await request('replay')).status).toBe(404);
  expect((await request('dryRun')).status).toBe(404);
});

test('while Kafka is unavailable a replay waits and reports it, nothing is counted, and a dry run does not wait', async () => {
  const tenantId = randomUUID();
  const id = await createDeadLetter(activityMessage(tenantId, activityRecord(8)));
  await registerTenant(tenantId);
  await ingest[Symbol.asyncDispose]();
  const shown = async (request: string) =>
    (await admin.request('GET', `/console/api/dead-letters/requests/${request}`)).body as Done & {
      lastError: string | null;
    };
  const created = await admin.request('POST', '/console/api/dead-letters/requests', { action: 'replay', ids: [id] });
  {
    const nowhere = { TENANTSCOPE_KAFKA_BROKERS: `127.0.0.1:${await findFreePort()}` };
    await using lost = await startProcess('ingest', { ...running.environment, ...nowhere }, { waitUntilReady: false });
    await eventually('the request says why it waits', 30_000, async () => {
      if (lost.child.exitCode !== null) throw new Error(`ingest ended with ${lost.child.exitCode}:\n${lost.output()}`);
      return (await shown(created.body.id)).lastError?.includes('Kafka') ?? false;
    });
    expect(outcomes(await done('dryRun', [id]))).toEqual(['passes']);
    const { body } = await admin.request('GET', `/console/api/dead-letters/${id}`);
    expect(body).toMatchObject({ state: 'pending', replays: 0 });
    expect((await shown(created.body.id)).state).not.toBe('done');
  }
  ingest = await running.startIngest();
  await eventually('the replay is done', 60_000, async () => (await shown(created.body.id)).state === 'done');
  expect((await shown(created.body.id)).results).toMatchObject([{ deadLetterId: id, result: 'projected' }]);
  expect(await looking.rowCount(tenantId)).toBe(1);
});

test('a replay whose tenant cannot be looked up is not begun, and is counted once when it can', async () => {
  const tenantId = randomUUID();
  const id = await createDeadLetter(activityMessage(tenantId, activityRecord(12)));
  await registerTenant(tenantId);
  const deadLetter = async () => (await admin.request('GET', `/console/api/dead-letters/${id}`)).body;
  await looking.client.query('revoke select on control.cell from tenantscope_ingest');
  const created = await admin.request('POST', '/console/api/dead-letters/requests', { action: 'replay', ids: [id] });
  const shown = async () => (await admin.request('GET', `/console/api/dead-letters/requests/${created.body.id}`)).body;
  try {
    await eventually('the request has failed', 20_000, async () => (await shown()).lastError !== null);
    expect(await deadLetter()).toMatchObject({ state: 'pending', replays: 0 });
  } finally {
    await looking.client.query('grant select on control.cell to tenantscope_ingest');
  }
  await eventually('the replay is done', 40_000, async () => (await shown()).state === 'done');
  expect((await shown()).results).toMatchObject([{ deadLetterId: id, result: 'projected' }]);
  expect(await deadLetter()).toMatchObject({ state: 'settled', replays: 1 });
});

test('a replay that a killed process began and did not send is sent by another one, and counted once', async () => {
  const tenantId = randomUUID();
  const id = await createDeadLetter(activityMessage(tenantId, activityRecord(13)));
  await registerTenant(tenantId);
  // The process was killed after it had counted the last replay.
  await looking.client.query(
    `update models.dead_letter set state = 'replayed', replays = 3, changed_at = clock_timestamp() where id = $1`,
    [id],
  );
  const request = async (requestedAgo: string): Promise<string> => {
    const { rows } = await looking.client.query<{ id: string }>(
      `insert into control.dead_letter_request (organization_id, action, dead_letter_ids, requested_by, requested_at, claimed_by, claimed_at)
       values ($1, 'replay', $2, $3, clock_timestamp() - $4::interval, gen_random_uuid(), clock_timestamp() - interval '1 minute') returning id`,
      [visited.organizationId, [id], admin.memberId, requestedAgo],
    );
    return rows[0]?.id ?? '';
  };
  const results = async (requestId: string) => {
    let shown: Done = { state: '', results: [] };
    await eventually('the replay is done', 40_000, async () => {
      shown = (await admin.request('GET', `/console/api/dead-letters/requests/${requestId}`)).body;
      return shown.state === 'done';
    });
    return shown.results;
  };
  // Another request, made since, began nothing.
  expect(outcomes(await done('replay', [id]))).toEqual(['exhausted']);
  expect(await results(await request('0 seconds'))).toMatchObject([{ deadLetterId: id, result: 'exhausted' }]);
  expect(await results(await request('1 hour'))).toMatchObject([{ deadLetterId: id, result: 'projected' }]);
  const { body } = await admin.request('GET', `/console/api/dead-letters/${id}`);
  expect(body).toMatchObject({ state: 'settled', replays: 3 });
  expect(await looking.rowCount(tenantId)).toBe(1);
});

test('several processes share the requests, another one continues after a failure, and nothing is executed twice', async () => {
  await using second = await running.startIngest();
  void second;
  const id = await createDeadLetter(activityMessage(randomUUID(), activityRecord(9)));
  const retained = { deadLetterId: randomUUID(), result: 'missing', reason: null, detail: 'said by the one before' };
  const createTakenRequest = async (takenAgoSeconds: number): Promise<string> => {
    const { rows } = await looking.client.query<{ id: string }>(
      `insert into control.dead_letter_request (organization_id, action, dead_letter_ids, requested_by, claimed_by, claimed_at, results)
       values ($1, 'dryRun', $2, $3, gen_random_uuid(), clock_timestamp() - make_interval(secs => $4), $5) returning id`,
      [
        visited.organizationId,
        [retained.deadLetterId, id],
        admin.memberId,
        takenAgoSeconds,
        JSON.stringify([retained]),
      ],
    );
    return rows[0]?.id ?? '';
  };
  const [busy, silent] = [await createTakenRequest(0), await createTakenRequest(60)];
  const many = await Promise.all(Array.from({ length: 6 }, () => done('dryRun', [id])));
  expect(many.map(outcomes)).toEqual(Array.from({ length: 6 }, () => ['refused']));
  const shown = async (request: string) =>
    (await admin.request('GET', `/console/api/dead-letters/requests/${request}`)).body as Done;
  await eventually('another goes on', 10_000, async () => (await shown(silent)).state === 'done');
  expect((await shown(silent)).results).toMatchObject([retained, { deadLetterId: id, result: 'refused' }]);
  expect((await shown(busy)).state).toBe('running');
});

test('a request that names dead letters of another organization finds no dead letter, even if it was inserted by SQL', async () => {
  const id = await createDeadLetter(
    activityMessage(visited.tenantIds[0] ?? '', { ...activityRecord(10), Operation: '' }),
  );
  const { id: other } = await visited.admin.organizations.create({ name: 'Yet another' });
  try {
    const { rows } = await looking.client.query<{ id: string }>(
      `insert into control.dead_letter_request (organization_id, action, dead_letter_ids, reason, requested_by) values ($1, 'discard', $2, 'taken', $3) returning id`,
      [other, [id], admin.memberId],
    );
    const results = async () =>
      (
        await looking.client.query('select results, completed_at from control.dead_letter_request where id = $1', [
          rows[0]?.id,
        ])
      ).rows[0];
    await eventually('it is done', 20_000, async () => (await results()).completed_at !== null);
    expect((await results()).results).toMatchObject([{ deadLetterId: id, result: 'missing' }]);
    expect((await looking.deadLetters()).find((deadLetter) => deadLetter.id === id)).toMatchObject({
      state: 'pending',
    });
  } finally {
    await looking.client.query('delete from control.dead_letter_request where organization_id = $1', [other]);
    await looking.client.query('delete from control.organization where id = $1', [other]);
  }
});

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ProducerRecord } from 'kafkajs';
import pg from 'pg';
import { expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import type { StoredDeadLetter } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';

type Message = Omit<ProducerRecord['messages'][number], 'partition'>;

const { installation, broker, inspector, ingest, topic } = await startIngestInstallation();

const withHeaders = (message: Message, more: Message['headers']): Message => ({
  ...message,
  headers: { ...message.headers, ...more },
});

const deadLettersAt = async (partition: number, offset: bigint): Promise<StoredDeadLetter[]> =>
  (await inspector.deadLetters()).filter(
    (deadLetter) => deadLetter.partition === partition && deadLetter.offset === String(offset),
  );

/** Reasons that concern one record; others concern the message. */
const recordReasons = new Set([
  'TENANT_MISMATCH',
  'MISSING_ACTION',
  'MISSING_TIMESTAMP',
  'INVALID_TIMESTAMP',
  'FUTURE_TIMESTAMP',
]);

/** Waits until the lane has passed the appended record. */
async function passed(partition: number, offset: bigint): Promise<void> {
  await eventually(`lane ${partition} is after offset ${offset}`, 20_000, async () => {
    if (ingest.child.exitCode !== null)
      throw new Error(`ingest ended with ${ingest.child.exitCode}:\n${ingest.output()}`);
    const lane = (await installation.admin.lanes.list()).find(
      (one) => one.topic === topic && one.partition === partition,
    );
    return BigInt(lane?.nextOffset ?? 0) > offset;
  });
}

test('each malformed record becomes one dead letter with its reason and all its bytes, and its neighbors become rows', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const good = (number: number): Message =>
    activityMessage(id, activityRecord(number, { OrganizationId: azureTenantId }));
  const raw = (value: Buffer | string | null): Message => ({ ...good(0), value });
  const record = activityRecord(0, { OrganizationId: azureTenantId });
  const hostile: [reason: string, message: Message][] = [
    ['INVALID_JSON', raw('{"CreationTime": "2026-10-01T00:00:00", "Operation"')],
    ['INVALID_JSON', raw(Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(3), Buffer.from('"}')]))],
    [
      'NOT_UTF8',
      raw(Buffer.concat([Buffer.from('{"Operation":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')])),
    ],
    ['SCHEMA_VIOLATION', raw(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)],
    ['TENANT_MISMATCH', activityMessage(id, activityRecord(1, { OrganizationId: randomUUID() }))],
    ['UNKNOWN_TENANT', activityMessage(randomUUID(), record)],
    ['SCHEMA_REGISTRY_FRAMED', raw(Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), Buffer.from(JSON.stringify(record))]))],
    ['EMPTY_PAYLOAD', raw(Buffer.alloc(0))],
    ['EMPTY_PAYLOAD', raw(null)],
    ['KEY_MISMATCH', { ...good(2), key: randomUUID() }],
    ['KEY_MISMATCH', { ...good(2), key: randomBytes(64) }],
    ['UNKNOWN_TYPE', withHeaders(good(3), { ce_type: 'tenantscope.raw.something-else.v1' })],
    ['UNSUPPORTED_VERSION', withHeaders(good(3), { ce_specversion: '0.3' })],
    [
      'MISSING_TENANT',
      { ...good(3), headers: { ce_specversion: '1.0', ce_type: 'tenantscope.raw.o365-management-activity.v1' } },
    ],
    ['SCHEMA_VIOLATION', withHeaders(good(4), { 'content-type': 'application/avro' })],
    ['MISSING_ACTION', activityMessage(id, { ...record, Operation: undefined })],
    ['MISSING_TIMESTAMP', activityMessage(id, { ...record, CreationTime: undefined })],
    ['INVALID_TIMESTAMP', activityMessage(id, { ...record, CreationTime: 'yesterday' })],
    [
      'FUTURE_TIMESTAMP',
      activityMessage(id, {
        ...record,
        CreationTime: new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 19),
      }),
    ],
    // A repeated name, a binary value and a name with NUL: every header is stored.
    ['INVALID_JSON', withHeaders(raw('{'), { seen: ['first', 'second', 'first'], bytes: randomBytes(40), empty: '' })],
    ['INVALID_JSON', withHeaders(raw('{'), { 'na\u0000me': 'a name with a NUL', '': 'no name' })],
  ];
  // Neighbors in the same send share a transaction with the failing record.
  const corpus = hostile.flatMap(([, message], index) => [good(1_000 + index), message]);
  const first = await broker.append(topic, 3, [...corpus, good(2_000)]);
  const last = first + BigInt(corpus.length);
  await passed(3, last);

  expect(await inspector.rowCount(id)).toBe(hostile.length + 1);
  for (const [index, [reason, message]] of hostile.entries()) {
    const deadLetters = await deadLettersAt(3, first + BigInt(2 * index + 1));
    expect(deadLetters, `${index}: ${reason}`).toHaveLength(1);
    const { element, state, key, value, headers, ...rest } = deadLetters[0] as StoredDeadLetter;
    const expected = recordReasons.has(reason) ? 0 : -1;
    expect({ index, reason: rest.reason, element, state }).toEqual({
      index,
      reason,
      element: expected,
      state: 'pending',
    });
    expect(key).toEqual(message.key === null ? null : Buffer.from(message.key as string));
    expect(value).toEqual(message.value === null ? null : Buffer.from(message.value as string));
    const sent = Object.entries(message.headers ?? {}).flatMap(([name, values]) =>
      [values].flat().map((one) => [name, Buffer.from(one as string).toString('base64')]),
    );
    expect(headers).toEqual(sent);
  }
  expect(await ingest.ready()).toBe(true);
});

test('a record over 1 MiB is stored as its first 64 kB and its digest, is marked so, and is not replayed', async () => {
  const { id } = await installation.createTenant();
  const value = JSON.stringify({ ...activityRecord(1), Note: 'x'.repeat(1_300_000) });
  // The limit is 1 MiB of the value, whatever the reason.
  const whole = Buffer.alloc(1_048_576, 'x');
  const messages = [
    { ...activityMessage(id, {}), value },
    activityMessage(randomUUID(), { Note: 'x'.repeat(1_100_000) }),
    { ...activityMessage(id, {}), value: whole },
  ];
  // One by one: the broker limits the size of a batch.
  const first = await broker.append(topic, 6, messages.slice(0, 1));
  for (const message of messages.slice(1)) await broker.append(topic, 6, [message]);
  await passed(6, first + 2n);
  const [tooLarge, unknownTenant, largest] = await Promise.all([0n, 1n, 2n].map((n) => deadLettersAt(6, first + n)));
  expect(tooLarge).toMatchObject([{ reason: 'TOO_LARGE', value: Buffer.from(value).subarray(0, 65_536) }]);
  expect(unknownTenant).toMatchObject([{ reason: 'UNKNOWN_TENANT' }]);
  expect(unknownTenant?.[0]?.value).toHaveLength(65_536);
  expect(largest).toMatchObject([{ reason: 'INVALID_JSON', value: whole }]);

  // So is one whose headers are too long.
  const headers = { long: Buffer.alloc(1_100_000, 'h') };
  const longHeader = await broker.append(topic, 6, [withHeaders({ ...activityMessage(id, {}), value: '{' }, headers)]);
  await passed(6, longHeader);
  const [withoutHeader] = await deadLettersAt(6, longHeader);
  expect(withoutHeader).toMatchObject({ reason: 'INVALID_JSON', value: Buffer.from('{') });
  expect(withoutHeader?.headers.map(([name]) => name)).toEqual(Object.keys(activityMessage(id, {}).headers ?? {}));

  const deadLetterId = tooLarge?.[0]?.id ?? '';
  const shown = await installation.cli('dead-letters', 'show', deadLetterId);
  const bytes = Buffer.byteLength(value);
  const digest = createHash('sha256').update(value).digest('hex');
  expect(shown).toMatchObject({ truncated: true, valueBytes: bytes, valueSha256: digest });
  const refusal = `Dead letter ${deadLetterId} is not replayed: only the beginning of its ${bytes} bytes is stored`;
  await expect(installation.cli('dead-letters', 'replay', deadLetterId)).rejects.toThrow(refusal);

  // A message that equals the stored beginning is not the record: it settles nothing and changes nothing.
  const forged = { ...activityMessage(id, {}), value: Buffer.from(value).subarray(0, 65_536) };
  const offset = await broker.append(topic, 6, [withHeaders(forged, { 'tenantscope-dead-letter': deadLetterId })]);
  await passed(6, offset);
  expect(await deadLettersAt(6, first)).toMatchObject([{ reason: 'TOO_LARGE', state: 'pending' }]);
  expect(await deadLettersAt(6, offset)).toMatchObject([{ reason: 'INVALID_JSON', state: 'pending' }]);
});

/** A message in the control database with dead letters of these states, decided so many days ago. */
async function insertDecided(...deadLetters: [state: string, daysAgo: number][]): Promise<string> {
  const messageId = randomUUID();
  await inspector.client.query(
    `insert into control.dead_letter_message (id, topic, partition, "offset", value, headers) values ($1, 'expired', 0, 0, 'x', '[]')`,
    [messageId],
  );
  await inspector.client.query(
    `insert into control.dead_letter (id, message_id, element, topic, reason, stage, detail, state, worker_version, changed_at)
     select gen_random_uuid(), $1, ordinality, 'expired', 'INVALID_JSON', 'decode', '', state, '', now() - make_interval(days => days_ago)
       from unnest($2::text[], $3::integer[]) with ordinality as d (state, days_ago, ordinality)`,
    [messageId, deadLetters.map(([state]) => state), deadLetters.map(([, daysAgo]) => daysAgo)],
  );
  return messageId;
}

test('dead letters are deleted after their retention once decided, and pending ones stay', async () => {
  await insertDecided(['settled', 31], ['discarded', 32]);
  const remainingIds = [
    await insertDecided(['settled', 29]),
    await insertDecided(['pending', 4_000]),
    await insertDecided(['replayed', 4_000]),
    await insertDecided(['discarded', 31], ['pending', 4_000]),
    await insertDecided(['discarded', 31], ['settled', 29]),
  ];
  await using client = Object.assign(new pg.Client(installation.database.roles.ingest), {
    async [Symbol.asyncDispose]() {
      await client.end();
    },
  });
  await client.connect();
  // Ingest cannot go under 30 days.
  const { rows } = await client.query('select control.delete_expired_dead_letters(0) as deleted');
  expect(rows).toEqual([{ deleted: 1 }]);
  const remaining = await inspector.client.query<{ id: string }>(
    `select id from control.dead_letter_message where topic = 'expired'`,
  );
  expect(remaining.rows.map(({ id }) => id).toSorted()).toEqual(remainingIds.toSorted());
  await expect(client.query('delete from control.dead_letter_message')).rejects.toThrow('permission denied');
});

test('a clock that jumps by more than a day deletes no dead letters before it has run on for a day', async () => {
  const messageId = await insertDecided(['settled', 31]);
  const setClock = (assignments: string) => inspector.client.query(`update control.retention_clock set ${assignments}`);
  const isDeleted = async () => {
    await inspector.client.query('select control.delete_expired_dead_letters(30)');
    const { rowCount } = await inspector.client.query('select from control.dead_letter_message where id = $1', [
      messageId,
    ]);
    return rowCount === 0;
  };
  // As if it were a hundred days after the last pass, a minute ago.
  await setClock(`accepted_at = now() - interval '100 days', seen_at = now() - interval '100 days', jumped_at = null`);
  expect([await isDeleted(), await isDeleted()]).toEqual([false, false]);
  await setClock(`jumped_at = jumped_at - interval '1 day'`);
  expect(await isDeleted()).toBe(true);
});

test('only the bad element of an array is dead-lettered', async () => {
  const { id } = await installation.createTenant();
  const records = [activityRecord(1), { ...activityRecord(2), Operation: '' }, activityRecord(3)];
  const offset = await broker.append(topic, 4, [activityMessage(id, records)]);
  await passed(4, offset);
  expect(await inspector.rowCount(id)).toBe(2);
  expect((await deadLettersAt(4, offset)).map(({ element, reason }) => ({ element, reason }))).toEqual([
    { element: 1, reason: 'MISSING_ACTION' },
  ]);
});

test('the first records of a tenant become rows when the tenant is created while they wait', async () => {
  const id = randomUUID();
  const tenant = { id, name: 'Made just now', organizationId: null, azureTenantId: null, plan: 'api', version: 1 };
  const early = await broker.append(topic, 5, [activityMessage(id, activityRecord(1))]);
  await passed(5, early);
  await broker.append(topic.replace('raw.activity', 'tenant'), 0, [
    {
      key: id,
      value: JSON.stringify({ ...tenant, changedAt: new Date().toISOString() }),
      headers: { ce_specversion: '1.0', ce_type: 'tenantscope.tenant.upserted.v1' },
    },
  ]);
  await eventually('the tenant is registered', 10_000, async () =>
    (await installation.admin.tenants.list()).some((one) => one.id === id),
  );
  const next = await broker.append(topic, 5, [activityMessage(id, activityRecord(2))]);
  await passed(5, next);
  expect(await inspector.rowCount(id)).toBe(1);

  const [deadLetter] = await deadLettersAt(5, early);
  expect(deadLetter).toMatchObject({ reason: 'UNKNOWN_TENANT', state: 'pending', tenantId: id });
  await installation.cli('dead-letters', 'replay', deadLetter?.id ?? '');
  await eventually('the replayed record is a row', 20_000, async () => (await inspector.rowCount(id)) === 2);
  await eventually(
    'the dead letter is settled',
    5_000,
    async () => (await deadLettersAt(5, early))[0]?.state === 'settled',
  );
});

test('a replay of a message rejected as a whole processes all its records, one that failed only itself', async () => {
  const id = randomUUID();
  const records = [activityRecord(1), { ...activityRecord(2), Operation: '' }, activityRecord(3)];
  const offset = await broker.append(topic, 6, [activityMessage(id, records)]);
  await passed(6, offset);
  const [unknown] = await deadLettersAt(6, offset);
  expect(unknown).toMatchObject({ reason: 'UNKNOWN_TENANT', element: -1 });

  // The cause is not fixed: the same dead letter, counted as replayed.
  const before = (await inspector.deadLetters()).length;
  await installation.cli('dead-letters', 'replay', unknown?.id ?? '');
  await eventually('the dead letter is pending again', 20_000, async () => {
    const shown = await installation.cli<{ state: string; replays: number }>('dead-letters', 'show', unknown?.id ?? '');
    return shown.state === 'pending' && shown.replays === 1;
  });
  expect(await inspector.deadLetters()).toHaveLength(before);

  await inspector.client.query(
    `insert into control.tenant (id, name, plan, digest) values ($1, 'Late', 'api', sha256('late'))`,
    [id],
  );
  await installation.cli('dead-letters', 'replay', unknown?.id ?? '');
  await eventually('its valid records are rows', 20_000, async () => (await inspector.rowCount(id)) === 2);
  const events = (await inspector.rows(id)).map(({ document }) => document.externalEventId);
  expect(events.toSorted()).toEqual([records[0]?.Id, records[2]?.Id].toSorted());
  expect(await deadLettersAt(6, offset)).toMatchObject([{ state: 'settled' }]);
  // The invalid record is a dead letter of its own, and its replay is of itself alone.
  const own = async () =>
    (await inspector.deadLetters()).filter((one) => one.tenantId === id && one.id !== unknown?.id);
  const [invalid] = await own();
  expect(invalid).toMatchObject({ reason: 'MISSING_ACTION', element: 1, state: 'pending' });
  await inspector.client.query('delete from models.log_identity where tenant_id = $1', [id]);
  await installation.cli('dead-letters', 'replay', invalid?.id ?? '');
  await eventually('it is pending again', 20_000, async () => {
    const shown = await installation.cli<{ state: string; replays: number }>('dead-letters', 'show', invalid?.id ?? '');
    return shown.state === 'pending' && shown.replays === 1;
  });
  expect(await own()).toHaveLength(1);
  // Without their identities the other records would be written again.
  expect(await inspector.rowCount(id)).toBe(2);
});

test('a discarded dead letter stays discarded, and a copied dead letter header hides no failure', async () => {
  const { id } = await installation.createTenant();
  const offset = await broker.append(topic, 7, [{ ...activityMessage(id, {}), value: '{"first":' }]);
  await passed(7, offset);
  const [deadLetter] = await deadLettersAt(7, offset);
  await installation.cli('dead-letters', 'discard', deadLetter?.id ?? '');
  expect((await deadLettersAt(7, offset))[0]?.state).toBe('discarded');
  await expect(installation.cli('dead-letters', 'replay', deadLetter?.id ?? '')).rejects.toThrow();

  const copied = { 'tenantscope-dead-letter': deadLetter?.id ?? '', 'tenantscope-dead-letter-element': '0' };
  const other = await broker.append(topic, 7, [
    withHeaders({ ...activityMessage(id, {}), value: '{"second":' }, copied),
  ]);
  await passed(7, other);
  expect(await deadLettersAt(7, other)).toMatchObject([{ reason: 'INVALID_JSON', state: 'pending' }]);
  // A replay that was sent before the decision, and fails after it.
  const replay = await broker.append(topic, 7, [
    withHeaders(
      { ...activityMessage(id, {}), value: '{"first":' },
      { 'tenantscope-dead-letter': deadLetter?.id ?? '' },
    ),
  ]);
  await passed(7, replay);
  expect(await deadLettersAt(7, replay)).toEqual([]);
  expect((await deadLettersAt(7, offset))[0]?.state).toBe('discarded');
});

test('a record with a copied dead letter header becomes a row and does not settle the dead letter of other bytes', async () => {
  const { id } = await installation.createTenant();
  const offset = await broker.append(topic, 9, [{ ...activityMessage(id, {}), value: '{"lost":' }]);
  await passed(9, offset);
  const [deadLetter] = await deadLettersAt(9, offset);
  const copied = { 'tenantscope-dead-letter': deadLetter?.id ?? '', 'tenantscope-dead-letter-element': '0' };
  const other = await broker.append(topic, 9, [withHeaders(activityMessage(id, activityRecord(1)), copied)]);
  await passed(9, other);
  expect(await inspector.rowCount(id)).toBe(1);
  expect(await deadLettersAt(9, offset)).toMatchObject([{ id: deadLetter?.id, state: 'pending' }]);
});

test('an invalid message timestamp does not affect the record', async () => {
  const { id } = await installation.createTenant();
  await broker.admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: 2,
        name: topic,
        configEntries: [{ name: 'message.timestamp.after.max.ms', value: '9223372036854775807' }],
      },
    ],
  });
  const timestamp = '9300000000000000';
  const messages = [
    { ...activityMessage(id, {}), value: '{', timestamp },
    { ...activityMessage(id, activityRecord(1)), timestamp },
  ];
  // The broker confirms the setting before it applies it.
  let offset = -1n;
  await eventually('the broker accepts such a timestamp', 10_000, async () => {
    offset = await broker.append(topic, 8, messages);
    return true;
  });
  await passed(8, offset + 1n);
  expect(await deadLettersAt(8, offset)).toHaveLength(1);
  expect(await inspector.rowCount(id)).toBe(1);
});

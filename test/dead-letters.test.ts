import { randomBytes, randomUUID } from 'node:crypto';
import type { ProducerRecord } from 'kafkajs';
import { expect, test } from 'vitest';
import { eventually } from './product/eventually.ts';
import { ingestingProduct } from './product/ingesting.ts';
import type { LetterSeen } from './product/looking.ts';
import { activityMessage, activityRecord } from './product/records.ts';

type Message = Omit<ProducerRecord['messages'][number], 'partition'>;

const { running, broker, looking, ingest, topic } = await ingestingProduct();

const withHeaders = (message: Message, more: Message['headers']): Message => ({
  ...message,
  headers: { ...message.headers, ...more },
});

const letterAt = async (partition: number, offset: bigint): Promise<LetterSeen[]> =>
  (await looking.letters()).filter((letter) => letter.partition === partition && letter.offset === String(offset));

/** Waits until the lane stands behind what was appended. */
async function passed(partition: number, offset: bigint): Promise<void> {
  await eventually(`lane ${partition} passes ${offset}`, 20_000, async () => {
    if (ingest.child.exitCode !== null)
      throw new Error(`ingest ended with ${ingest.child.exitCode}:\n${ingest.output()}`);
    const lane = (await running.admin.lanes.list()).find((one) => one.topic === topic && one.partition === partition);
    return BigInt(lane?.nextOffset ?? 0) > offset;
  });
}

test('each hostile record becomes one letter with its reason and every byte of it, and its neighbours become rows', async () => {
  const { id, azureTenantId } = await running.tenant();
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
    ['TOO_LARGE', raw(Buffer.from(JSON.stringify({ ...record, Note: 'x'.repeat(1_300_000) })))],
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
    // The same name twice, a value that is no text, a name with a NUL: whatever a producer sends is kept.
    ['INVALID_JSON', withHeaders(raw('{'), { seen: ['first', 'second', 'first'], bytes: randomBytes(40), empty: '' })],
    ['INVALID_JSON', withHeaders(raw('{'), { 'na\u0000me': 'a name with a NUL', '': 'no name' })],
  ];
  // Neighbours in the same send, so that they share a transaction with what fails.
  const corpus = hostile.flatMap(([, message], index) => [good(1_000 + index), message]);
  const first = await broker.append(topic, 3, [...corpus, good(2_000)]);
  const last = first + BigInt(corpus.length);
  await passed(3, last);

  expect(await looking.rowCount(id)).toBe(hostile.length + 1);
  for (const [index, [reason, message]] of hostile.entries()) {
    const letters = await letterAt(3, first + BigInt(2 * index + 1));
    expect(letters, `${index}: ${reason}`).toHaveLength(1);
    const { element, state, key, value, headers, ...letter } = letters[0] as LetterSeen;
    expect({ index, reason: letter.reason, element, state }).toEqual({ index, reason, element: 0, state: 'parked' });
    expect(key).toEqual(message.key === null ? null : Buffer.from(message.key as string));
    expect(value).toEqual(message.value === null ? null : Buffer.from(message.value as string));
    const sent = Object.entries(message.headers ?? {}).flatMap(([name, values]) =>
      [values].flat().map((one) => [name, Buffer.from(one as string).toString('base64')]),
    );
    expect(headers).toEqual(sent);
  }
  expect(await ingest.ready()).toBe(true);
});

test('of an array with one bad element only that element is set aside', async () => {
  const { id } = await running.tenant();
  const records = [activityRecord(1), { ...activityRecord(2), Operation: '' }, activityRecord(3)];
  const offset = await broker.append(topic, 4, [activityMessage(id, records)]);
  await passed(4, offset);
  expect(await looking.rowCount(id)).toBe(2);
  expect((await letterAt(4, offset)).map(({ element, reason }) => ({ element, reason }))).toEqual([
    { element: 1, reason: 'MISSING_ACTION' },
  ]);
});

test('a tenant that is made while its records wait gets its first events as rows', async () => {
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
  await eventually('the tenant is known', 10_000, async () =>
    (await running.admin.tenants.list()).some((one) => one.id === id),
  );
  const next = await broker.append(topic, 5, [activityMessage(id, activityRecord(2))]);
  await passed(5, next);
  expect(await looking.rowCount(id)).toBe(1);

  const [letter] = await letterAt(5, early);
  expect(letter).toMatchObject({ reason: 'UNKNOWN_TENANT', state: 'parked', tenantId: id });
  await running.cli('dead-letters', 'replay', letter?.id ?? '');
  await eventually('the replayed record is a row', 20_000, async () => (await looking.rowCount(id)) === 2);
  await eventually('the letter is settled', 5_000, async () => (await letterAt(5, early))[0]?.state === 'settled');
});

test('a replay takes the one element that failed, and one that fails again comes back as the same letter', async () => {
  const id = randomUUID();
  const records = [activityRecord(1), { ...activityRecord(2), Operation: '' }, activityRecord(3)];
  const offset = await broker.append(topic, 6, [activityMessage(id, records)]);
  await passed(6, offset);
  const [unknown] = await letterAt(6, offset);
  expect(unknown).toMatchObject({ reason: 'UNKNOWN_TENANT', element: 0 });

  // Nobody has mended anything: the same letter, counted as replayed.
  const before = (await looking.letters()).length;
  await running.cli('dead-letters', 'replay', unknown?.id ?? '');
  await eventually('the letter is parked again', 20_000, async () => {
    const shown = await running.cli<{ state: string; replays: number }>('dead-letters', 'show', unknown?.id ?? '');
    return shown.state === 'parked' && shown.replays === 1;
  });
  expect(await looking.letters()).toHaveLength(before);

  await looking.client.query(
    `insert into control.tenant (id, name, plan, digest) values ($1, 'Late', 'api', sha256('late'))`,
    [id],
  );
  await running.cli('dead-letters', 'replay', unknown?.id ?? '');
  await eventually('its element is a row', 20_000, async () => (await looking.rowCount(id)) === 1);
  expect((await letterAt(6, offset))[0]).toMatchObject({ state: 'settled' });
  expect((await looking.rows(id))[0]?.document).toMatchObject({ externalEventId: records[0]?.Id });
});

test('a discarded letter stays discarded, and a header that names a letter of another message makes no failure vanish', async () => {
  const { id } = await running.tenant();
  const offset = await broker.append(topic, 7, [{ ...activityMessage(id, {}), value: '{"first":' }]);
  await passed(7, offset);
  const [letter] = await letterAt(7, offset);
  await running.cli('dead-letters', 'discard', letter?.id ?? '');
  expect((await letterAt(7, offset))[0]?.state).toBe('discarded');
  await expect(running.cli('dead-letters', 'replay', letter?.id ?? '')).rejects.toThrow();

  const copied = { 'tenantscope-dead-letter': letter?.id ?? '', 'tenantscope-dead-letter-element': '0' };
  const other = await broker.append(topic, 7, [
    withHeaders({ ...activityMessage(id, {}), value: '{"second":' }, copied),
  ]);
  await passed(7, other);
  expect(await letterAt(7, other)).toMatchObject([{ reason: 'INVALID_JSON', state: 'parked' }]);
  expect((await letterAt(7, offset))[0]?.state).toBe('discarded');
});

test('a time of production that no calendar holds costs nothing', async () => {
  const { id } = await running.tenant();
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
  // The broker says that it took the setting before it goes by it.
  let offset = -1n;
  await eventually('the broker takes such a time', 10_000, async () => {
    offset = await broker.append(topic, 8, messages);
    return true;
  });
  await passed(8, offset + 1n);
  expect(await letterAt(8, offset)).toHaveLength(1);
  expect(await looking.rowCount(id)).toBe(1);
});

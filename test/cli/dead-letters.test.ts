import { randomUUID } from 'node:crypto';
import { replayHeaders } from '@tenantscope/publish';
import { expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { startInstallation } from '../installation/installation.ts';
import { onServer } from '../services/template.ts';
import { type CommandLine, createCommandLine, readTopic, run } from './command-line.ts';

interface Original {
  readonly value: Buffer | null;
  readonly key?: Buffer | null;
  readonly headers?: readonly [name: string, value: string][];
  readonly topic?: string;
  readonly element?: number;
  readonly tenantId?: string;
  readonly reason?: string;
  readonly detail?: string;
}

/** Inserts a dead letter as ingestion would. */
async function writeDeadLetter(line: CommandLine, original: Original): Promise<string> {
  const [id, messageId] = [randomUUID(), randomUUID()];
  const { topic = line.topic, key = null, value, headers = [], element = 0, tenantId = null } = original;
  const encoded = headers.map(([name, text]) => [name, Buffer.from(text).toString('base64')]);
  await onServer(line.superuser, async (client) => {
    await client.query(
      `insert into models.dead_letter_message (id, topic, partition, "offset", produced_at, key, value, headers)
       values ($1, $2, 3, 41, now(), $3, $4, $5)`,
      [messageId, topic, key, value, JSON.stringify(encoded)],
    );
    await client.query(
      `insert into models.dead_letter (id, message_id, element, topic, tenant_id, reason, stage, detail, format, worker_version)
       values ($1, $2, $3, $4, $5, $6, 'normalise', $7, 'okta.system-log', 'test')`,
      [id, messageId, element, topic, tenantId, original.reason ?? 'MISSING_ACTION', original.detail ?? 'no action'],
    );
  });
  return id;
}

test('dead letters are listed by tenant, reason and state', async () => {
  await using line = await createCommandLine();
  const tenantId = randomUUID();
  const first = await writeDeadLetter(line, { value: Buffer.from('{}'), tenantId });
  const second = await writeDeadLetter(line, { value: Buffer.from('x'), reason: 'INVALID_JSON' });
  const ids = async (...args: string[]) =>
    ((await line.json('dead-letters', 'list', ...args)).data as { id: string }[]).map(({ id }) => id);
  expect(await ids()).toEqual([second, first]);
  expect(await ids('--limit', '1')).toEqual([second]);
  expect(await ids('--tenant', tenantId)).toEqual([first]);
  expect(await ids('--reason', 'INVALID_JSON')).toEqual([second]);
  expect(await ids('--state', 'discarded')).toEqual([]);
  for (const args of [
    ['--limit', '0'],
    ['--limit', '1001'],
    ['--reason', 'BAD_LUCK'],
    ['--state', 'lost'],
  ]) {
    expect(await line.run('dead-letters', 'list', ...args)).toMatchObject({ status: 2, stdout: '' });
  }
});

test('a dead letter shows text as text and other bytes as base64 without terminal control sequences', async () => {
  await using line = await createCommandLine();
  const text = '{"note":"\u001b[2Jgrüß\u202e"}';
  const readable = await writeDeadLetter(line, {
    value: Buffer.from(text),
    key: Buffer.from('k'),
    headers: [
      ['ce_id', 'a'],
      ['ce_id', 'b'],
    ],
  });
  const binary = await writeDeadLetter(line, { value: Buffer.from([0xff, 0x00, 0xfe]), detail: 'not\u001b[31m UTF-8' });
  const empty = await writeDeadLetter(line, { value: null });

  expect(await line.json('dead-letters', 'show', readable)).toMatchObject({
    id: readable,
    reason: 'MISSING_ACTION',
    key: { encoding: 'utf8', text: 'k', bytes: 1 },
    value: { encoding: 'utf8', text, bytes: Buffer.byteLength(text) },
    headers: [
      { name: 'ce_id', value: { text: 'a' } },
      { name: 'ce_id', value: { text: 'b' } },
    ],
  });
  expect(await line.json('dead-letters', 'show', binary)).toMatchObject({
    value: { encoding: 'base64', text: '/wD+', bytes: 3 },
  });
  expect(await line.json('dead-letters', 'show', empty)).toMatchObject({ value: null, key: null });

  const shown = [readable, binary].map((id) => line.run('dead-letters', 'show', id));
  const [first, second] = (await Promise.all(shown)).map(({ stdout }) => stdout);
  expect(first).toContain('{"note":"\\u{1b}[2Jgrüß\\u{202e}"}');
  expect(second).toContain('base64 /wD+');
  expect(`${first}${second}`).not.toContain('\u001b');
});

test('a replay publishes the original to its topic and names the dead letter and its element', async () => {
  await using line = await createCommandLine({ topics: true });
  const value = Buffer.from([0x7b, 0xff, 0x7d]);
  const key = Buffer.from('some key');
  const id = await writeDeadLetter(line, {
    value,
    key,
    element: 2,
    headers: [
      ['ce_id', 'original'],
      ['ce_type', 'tenantscope.raw.okta-system-log.v1'],
    ],
  });

  expect(await line.json('dead-letters', 'replay', id)).toEqual({
    data: [{ id, state: 'replayed', topic: line.topic, replays: 1 }],
  });
  expect(await readTopic(line.topic)).toEqual([
    {
      key: 'some key',
      value,
      headers: {
        ce_id: 'original',
        ce_type: 'tenantscope.raw.okta-system-log.v1',
        [replayHeaders.deadLetter]: id,
        [replayHeaders.element]: '2',
      },
    },
  ]);
  expect(await line.json('dead-letters', 'show', id)).toMatchObject({ state: 'replayed', replays: 1 });
});

test('a replay by filter that ingestion does not read ends with an error', { timeout: 60_000 }, async () => {
  await using line = await createCommandLine({ topics: true });
  const { id: tenantId } = await line.json('tenant', 'create', '--name', 'Larkspur');
  const record = { uuid: randomUUID(), eventType: 'user.session.start', published: '2026-11-20T08:00:00.000Z' };
  await writeDeadLetter(line, {
    value: Buffer.from(JSON.stringify(record)),
    tenantId: String(tenantId),
    element: -1,
    headers: [
      ['ce_specversion', '1.0'],
      ['ce_id', randomUUID()],
      ['ce_source', '/collectors/okta'],
      ['ce_type', 'tenantscope.raw.okta-system-log.v1'],
      ['ce_time', '2026-11-20T08:00:00.000Z'],
      ['ce_tenantid', String(tenantId)],
    ],
  });
  const { status, stdout, stderr } = await line.run('dead-letters', 'replay', '--tenant', String(tenantId), '--json');
  expect(JSON.parse(stdout)).toMatchObject({ accepted: 1, settled: 0, waiting: 1 });
  expect([status, stderr]).toEqual([1, expect.stringContaining('1 replayed dead letter is not read yet')]);
});

test('one dead letter that cannot be replayed does not block the others', async () => {
  await using line = await createCommandLine({ topics: true });
  const [good, gone, missing] = [
    await writeDeadLetter(line, { value: Buffer.from('{}') }),
    await writeDeadLetter(line, { value: Buffer.from('{}'), topic: `${line.topic}.gone` }),
    randomUUID(),
  ];
  const replay = await line.run('dead-letters', 'replay', missing, gone, good, '--json');
  expect(replay.status).toBe(1);
  expect(JSON.parse(replay.stdout).data).toMatchObject([{ id: good, state: 'replayed' }]);
  expect(replay.stderr).toContain(`there is no dead letter ${missing}`);
  expect(replay.stderr).toContain(`${gone} was not replayed: the topic ${line.topic}.gone does not exist`);

  const discard = await line.run('dead-letters', 'discard', gone, missing, '--json');
  expect(discard.status).toBe(1);
  expect(JSON.parse(discard.stdout)).toEqual({ data: [{ id: gone, state: 'discarded' }] });
  const again = await line.run('dead-letters', 'replay', gone);
  expect(again).toMatchObject({ status: 1, stdout: '' });
  expect(again.stderr).toContain('is discarded');
});

test('a replayed record that fails again stays the same dead letter', async () => {
  await using whole = await startInstallation();
  await whole.startIngest();
  const { id: tenantId } = await whole.createTenant();
  const line = { environment: whole.environment, input: '{"uuid": "torn' };
  await run(['import', '--tenant', tenantId, '--format', 'okta.system-log', '-'], line);
  const deadLetters = async () =>
    (await whole.cli<{ data: { id: string; state: string; replays: number }[] }>('dead-letters', 'list')).data;
  await eventually('the record is dead-lettered', 15_000, async () => (await deadLetters()).length === 1);
  const [first] = await deadLetters();
  expect(first).toMatchObject({ state: 'pending', replays: 0, tenantId, reason: 'INVALID_JSON' });

  await whole.cli('dead-letters', 'replay', first?.id ?? '');
  await eventually(
    'the record is dead-lettered again',
    15_000,
    async () => (await deadLetters())[0]?.state === 'pending',
  );
  expect(await deadLetters()).toMatchObject([{ id: first?.id, replays: 1, reason: 'INVALID_JSON' }]);
});

import { randomBytes } from 'node:crypto';
import { type LedgerMessage, openLedgerTopic } from '@tenantscope/publish';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { kafka } from '../cli/command-line.ts';

const { kafka: brokers } = inject('services');
const topic = `ledger-${randomBytes(4).toString('hex')}`;
const stallMs = 10_000;
const ledger = openLedgerTopic({ brokers, clientId: 'test', topic, groupPrefix: topic, stallMs });
const texts = Array.from({ length: 60 }, (_, number) =>
  JSON.stringify({ schema: 'models', number, state: randomBytes(150_000).toString('hex') }),
);

beforeAll(async () => {
  const admin = kafka().admin();
  await admin.connect();
  await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 1 }] });
  await admin.disconnect();
  const offsets = await ledger.append(texts.map((text) => Buffer.from(text)));
  expect(offsets).toEqual(texts.map((_, index) => BigInt(index)));
}, 60_000);
afterAll(() => ledger[Symbol.asyncDispose]());

const toMessage = (text: string, index: number): LedgerMessage => ({ offset: BigInt(index), text, schema: 'models' });

test('a range is read in its order, in pieces of at most 2 MB', { timeout: 60_000 }, async () => {
  const pieces = await Array.fromAsync(ledger.read(3n, 60n));
  expect(pieces.flat()).toEqual(texts.map(toMessage).slice(3));
  expect(pieces.map((piece) => piece.length)).toEqual([6, 6, 6, 6, 6, 6, 6, 6, 6, 3]);
});

test('a reader may end early, and an empty range has no messages', { timeout: 60_000 }, async () => {
  for await (const [first] of ledger.read(0n, 60n)) {
    expect(first).toEqual(toMessage(texts[0] ?? '', 0));
    break;
  }
  expect(await Array.fromAsync(ledger.read(60n, 60n))).toEqual([]);
});

test('reading fails with the position where messages stop to arrive', { timeout: 60_000 }, async () => {
  await expect(Array.fromAsync(ledger.read(58n, 61n))).rejects.toThrow(
    `${topic} was read up to offset 60 of 61; nothing has arrived for ${stallMs} ms`,
  );
});

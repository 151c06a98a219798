import { scopes } from '@tenantscope/contract';
import { describe, expect, test } from 'vitest';
import { wholeNumber } from '../src/arguments.ts';
import { explain, Refusal } from '../src/failure.ts';
import { kafkaFailure } from '../src/kafka-failure.ts';
import { readScopes } from '../src/key.ts';
import { readLane } from '../src/lanes.ts';
import { progressLine } from '../src/progress.ts';
import { countKeys } from '../src/status.ts';
import { table } from '../src/table.ts';
import { visible } from '../src/visible.ts';

describe('failures', () => {
  test('no key and no password is repeated, wherever it stands', () => {
    const message = `tscope_live_${'x'.repeat(49)} postgres://me:hunter2@db:5432/a redis://:secret@r, postgresql://u@h/x`;
    expect(explain(new Refusal(message)).message).toBe(
      'tscope_live_… postgres://…@db:5432/a redis://…@r, postgresql://…@h/x',
    );
  });

  test('a mistake of ours is one line without a stack', () => {
    const { message, status } = explain(new TypeError('x is not\n  a function'));
    expect({ message, status }).toEqual({
      message: 'this went wrong inside: TypeError: x is not a function',
      status: 1,
    });
  });

  test('the innermost cause of a failure of Kafka is told', () => {
    const missing = Object.assign(new Error('no such topic'), { type: 'UNKNOWN_TOPIC_OR_PARTITION' });
    const wrapped = new Error('retries', { cause: new Error('again', { cause: missing }) });
    const at = { brokers: 'b:9092', topic: 't.v1' };
    expect(kafkaFailure(wrapped, at)).toContain('the topic t.v1 does not exist');
    expect(kafkaFailure(Object.assign(new Error('x'), { name: 'KafkaJSConnectionError' }), at)).toContain(
      'TENANTSCOPE_KAFKA_BROKERS',
    );
  });
});

describe('arguments', () => {
  test('scopes are trimmed and told once; all is every one, nothing is none', () => {
    expect(readScopes(' users:read, logs:read,users:read ')).toEqual(['users:read', 'logs:read']);
    expect(readScopes('all')).toEqual([...scopes]);
    expect(readScopes('')).toEqual([]);
    expect(() => readScopes('logs:read,all')).toThrow('unknown scope all');
  });

  test('a lane is a topic and a partition', () => {
    expect(readLane('tenantscope.raw.activity.v1/11')).toEqual({ topic: 'tenantscope.raw.activity.v1', partition: 11 });
    for (const wrong of ['topic', 'topic/', '/1', 'topic/-1', 'a/b/1', 'to pic/1'])
      expect(() => readLane(wrong)).toThrow('TOPIC/PARTITION');
  });

  test('a number is whole and within its limits', () => {
    const read = (text: string) => wholeNumber(text, '--limit', { from: 1, to: 1_000 });
    expect([read('1'), read('1000')]).toEqual([1, 1_000]);
    for (const wrong of ['0', '1001', '1.5', '1e2', ' 1', '', '-1']) expect(() => read(wrong)).toThrow('--limit');
  });
});

describe('what is printed', () => {
  test('a table is as wide as its cells, and a sentence where there is no row', () => {
    const rows = [
      { id: 'a', name: 'Larkspur', last: null },
      { id: 'bcd', name: '', last: 'now' },
    ];
    const columns = [
      ['id', (row: (typeof rows)[number]) => row.id],
      ['name', (row: (typeof rows)[number]) => row.name],
      ['last', (row: (typeof rows)[number]) => row.last],
    ] as const;
    expect(table(rows, columns, 'none')).toBe('id   name      last\na    Larkspur  –\nbcd  –         now');
    expect(table([], columns, 'There is none.')).toBe('There is none.');
  });

  test('characters that hide or command are made visible, others are not', () => {
    expect(visible('a\u001b[31m\u0000\u0085\u200b\u202e\u{e0041}\ud800z', '')).toBe(
      'a\\u{1b}[31m\\u{0}\\u{85}\\u{200b}\\u{202e}\\u{e0041}\\u{d800}z',
    );
    expect(visible('grüß 日本 👩‍🚀\n', '\n\u200d')).toBe('grüß 日本 👩‍🚀\n');
  });

  test('a key is counted once: as revoked before expired, and as expired at its very end', () => {
    const now = '2026-01-02T00:00:00.000Z';
    const [past, future] = ['2026-01-01T00:00:00.000Z', '2026-01-03T00:00:00.000Z'];
    const keys = [
      { revokedAt: null, expiresAt: null },
      { revokedAt: null, expiresAt: future },
      { revokedAt: null, expiresAt: now },
      { revokedAt: past, expiresAt: past },
    ];
    expect(countKeys(keys, now)).toEqual({ active: 2, expired: 1, revoked: 1 });
  });

  test('progress is a bar where the end is known, and a count where it is not', () => {
    expect(progressLine(0, 10, 0)).toBe(`[${'·'.repeat(30)}]   0 %  0 records`);
    expect(progressLine(5, 10, 1_234)).toBe(`[${'█'.repeat(15)}${'·'.repeat(15)}]  50 %  1,234 records`);
    expect(progressLine(11, 10, 2)).toContain('100 %');
    expect(progressLine(5, null, 7)).toBe('7 records');
  });
});

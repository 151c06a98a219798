import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { scopes } from '@tenantscope/contract';
import { describe, expect, test } from 'vitest';
import { CommandError, describeError } from '../src/command-error.ts';
import { countKeys } from '../src/commands/administration/status.ts';
import { parseScopes } from '../src/commands/directory/key.ts';
import { parseLane } from '../src/commands/ingestion/lanes.ts';
import { parseInteger } from '../src/input/option-parsers.ts';
import { formatCount } from '../src/output/count.ts';
import { escapeControlCharacters } from '../src/output/escape-control-characters.ts';
import { formatProgress } from '../src/output/progress-bar.ts';
import { formatTable } from '../src/output/table.ts';
import { runCommand } from '../src/run-command.ts';

describe('failures', () => {
  test('keys and passwords are redacted', () => {
    const message = `tscope_live_${'x'.repeat(49)} postgres://me:hunter2@db:5432/a redis://:secret@r, postgresql://u@h/x`;
    expect(describeError(new CommandError(message)).message).toBe(
      'tscope_live_… postgres://…@db:5432/a redis://…@r, postgresql://…@h/x',
    );
  });

  test('an internal error is reported in one line without a stack', () => {
    const { message, status } = describeError(new TypeError('x is not\n  a function'));
    expect({ message, status }).toEqual({
      message: 'internal error: TypeError: x is not a function',
      status: 1,
    });
  });
});

describe('arguments', () => {
  test('scopes are trimmed and deduplicated; "all" is every scope, an empty list is empty', () => {
    expect(parseScopes(' users:read, logs:read,users:read ')).toEqual(['users:read', 'logs:read']);
    expect(parseScopes('all')).toEqual([...scopes]);
    expect(parseScopes('')).toEqual([]);
    expect(() => parseScopes('logs:read,all')).toThrow('unknown scope all');
  });

  test('a lane is a topic and a partition', () => {
    expect(parseLane('tenantscope.raw.activity.v1/11')).toEqual({
      topic: 'tenantscope.raw.activity.v1',
      partition: 11,
    });
    for (const wrong of ['topic', 'topic/', '/1', 'topic/-1', 'a/b/1', 'to pic/1'])
      expect(() => parseLane(wrong)).toThrow('TOPIC/PARTITION');
  });

  test('a number is whole and within its limits', () => {
    const read = (text: string) => parseInteger(text, '--limit', { from: 1, to: 1_000 });
    expect([read('1'), read('1000')]).toEqual([1, 1_000]);
    for (const wrong of ['0', '1001', '1.5', '1e2', ' 1', '', '-1']) expect(() => read(wrong)).toThrow('--limit');
  });
});

describe('output', () => {
  test('a table is as wide as its cells, and an empty table is a sentence', () => {
    const rows = [
      { id: 'a', name: 'Larkspur', last: null },
      { id: 'bcd', name: '', last: 'now' },
    ];
    const columns = [
      ['id', (row: (typeof rows)[number]) => row.id],
      ['name', (row: (typeof rows)[number]) => row.name],
      ['last', (row: (typeof rows)[number]) => row.last],
    ] as const;
    expect(formatTable(rows, columns, 'none')).toBe('id   name      last\na    Larkspur  –\nbcd  –         now');
    expect(formatTable([], columns, 'There is none.')).toBe('There is none.');
  });

  test('control characters and invisible characters are escaped, others are not', () => {
    expect(escapeControlCharacters('a\u001b[31m\u0000\u0085\u200b\u202e\u{e0041}\ud800z', '')).toBe(
      'a\\u{1b}[31m\\u{0}\\u{85}\\u{200b}\\u{202e}\\u{e0041}\\u{d800}z',
    );
    expect(escapeControlCharacters('grüß 日本 👩‍🚀\n', '\n\u200d')).toBe('grüß 日本 👩‍🚀\n');
  });

  test('a problem that quotes a file cannot rewrite the terminal', async () => {
    const member = '\u001b[2K\rdigests match\nsha256';
    const [out, err] = [new PassThrough(), new PassThrough()];
    const input = Readable.from([JSON.stringify({ data: { [member]: 1 } })]);
    const streams = { input, out, err, terminal: process.stderr };
    expect(await runCommand(['verify', '-'], () => ({}), streams)).toBe(1);
    err.end();
    expect(await text(err)).toBe('tenantscope: \\u{1b}[2K\\u{d}digests match\\u{a}sha256: an unexpected member\n');
  });

  test('a key is counted once: as revoked before expired, and as expired at its expiry time', () => {
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

  test('progress is a bar if the total size is given, else a count', () => {
    expect(formatProgress(0, 10, 0)).toBe(`[${'·'.repeat(30)}]   0 %  0 records`);
    expect(formatProgress(5, 10, 1_234)).toBe(`[${'█'.repeat(15)}${'·'.repeat(15)}]  50 %  1,234 records`);
    expect(formatProgress(11, 10, 2)).toContain('100 %');
    expect(formatProgress(5, null, 7)).toBe('7 records');
    expect(formatProgress(5, 10, 1_234, { columns: 40 }), 'a narrow terminal').toBe(' 50 %  1,234 records');
  });
});

test('a number has the singular of its noun for one', () => {
  expect([0, 1, 26_015].map((count) => formatCount(count, 'record'))).toEqual([
    '0 records',
    '1 record',
    '26,015 records',
  ]);
  expect([1, 2].map((count) => formatCount(count, 'lane is', 'lanes are'))).toEqual(['1 lane is', '2 lanes are']);
});

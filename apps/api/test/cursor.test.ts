import { randomInt } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CursorContent, createCursorCodec } from '../src/records/cursor.ts';
import { parseListQuery } from '../src/records/list-query.ts';

const secret = 'a first secret of more than 32 characters';
const older = 'an older secret of more than 32 characters';
const secrets = [secret];
const cursors = createCursorCodec(() => secrets);

const content = {
  operation: 'list_logs',
  tenantId: '0a9d3c1e-7b52-4c0e-8f11-2d6e5f4a3b2c',
  filters: { severity: ['high'], isManagedDevice: [true], action: ['Add member.', 'é, ü'] },
  isPrivate: false,
  windows: { discoveredAt: { fromMs: 1, toMs: null }, occurredAt: { fromMs: null, toMs: 2 } },
  sort: 'discoveredAtAsc',
  limit: 7,
  after: { atMs: 1_790_000_000_123, id: '5e0c1f6a-2b1d-4c3e-9f80-7a6b5c4d3e2f' },
} satisfies CursorContent;

test('a cursor contains the whole query in characters that need no encoding', () => {
  const text = cursors.encode(content);
  expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(cursors.decode(text)).toEqual(content);
  for (const after of [null, { atMs: 1_790_000_000_123, id: null }])
    expect(cursors.decode(cursors.encode({ ...content, after }))).toEqual({ ...content, after });
});

test('a cursor contains the view of its list, and one without a view is as before', () => {
  expect(cursors.decode(cursors.encode({ ...content, view: 'ocsf' }))).toEqual({ ...content, view: 'ocsf' });
  for (const view of ['ocsf', undefined] as const)
    expect(cursors.decode(cursors.encode({ ...content, view, settledMs: 7 }))).toEqual({
      ...content,
      view,
      settledMs: 7,
    });
  expect(cursors.encode({ ...content, view: undefined })).toBe(cursors.encode(content));
});

test('a cursor of the longest possible filters fits into a URL and decodes', () => {
  const printable = () => String.fromCharCode(33 + randomInt(94)).replace(',', ';');
  const values = Array.from({ length: 150 }, () => Array.from({ length: 300 }, printable).join(''));
  const filters = { actorId: values.slice(0, 50), resourceId: values.slice(50, 100), deviceId: values.slice(100) };
  const text = cursors.encode({ ...content, filters });
  expect(text.length).toBeLessThan(61_440);
  expect(cursors.decode(text)).toEqual({ ...content, filters });
});

test('a cursor that contains more than the client sent cannot be read by the client', { tags: 'exhaustive' }, () => {
  const aliases = Array.from({ length: 1_000 }, (_, number) => `alias-${number}@contoso.example`);
  const own = { ...content, filters: { user: aliases }, isPrivate: true };
  const text = cursors.encode(own);
  expect(cursors.decode(text)).toEqual(own);
  expect(cursors.encode(own)).toBe(text);
  expect(text.length).toBeLessThan(61_440);
  const bytes = Buffer.from(text, 'base64url');
  for (let start = 0; start < bytes.length - 16; start++)
    for (const read of [() => bytes.subarray(start), () => inflateRawSync(bytes.subarray(start, -16))])
      expect(readOrEmpty(read)).not.toContain('alias-');
});

test('encrypted cursors of other contents share no keystream', () => {
  // Under one vector, two cursors that differ in their last members would be equal up to there.
  const read = (limit: number) =>
    Buffer.from(cursors.encode({ ...content, limit, isPrivate: true }), 'base64url').toString('hex', 5, 5 + 32);
  expect(new Set([1, 2, 3, 4, 5].map(read)).size).toBe(5);
  const [one, other] = [read(1), read(2)];
  expect(one.slice(0, 32)).not.toBe(other.slice(0, 32));
  expect(one.slice(32)).not.toBe(other.slice(32));
});

function readOrEmpty(read: () => Buffer): string {
  try {
    return read().toString('latin1');
  } catch {
    return '';
  }
}

test.each(['x', '0', 'null', 'undefined', '1', 'eyJhIjoxfQ', 'A'.repeat(5000), '%00', '../..', "' or 1=1 --", '\0'])(
  '"%.20s" is not a cursor',
  (text) => {
    expect(cursors.decode(text)).toBeNull();
  },
);

test('an altered cursor does not decode', () => {
  const text = cursors.encode(content);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom(...alphabet), (at, character) => {
      fc.pre(text[at] !== character);
      expect(cursors.decode(text.slice(0, at) + character + text.slice(at + 1))).toBeNull();
    }),
  );
  for (const other of [`${text}A`, text.slice(1), text.slice(0, -1), `${text}=`, ` ${text}`, `${text}\n`])
    expect(cursors.decode(other)).toBeNull();
});

test('secrets rotate: the first signs, all verify, a removed one does not', () => {
  let present = [older];
  const rotated = createCursorCodec(() => present);
  const before = rotated.encode(content);
  present = [secret, older];
  expect(rotated.decode(before)).toEqual(content);
  expect(cursors.decode(rotated.encode(content))).toEqual(content);
  expect(cursors.decode(before)).toBeNull();
});

test('a cursor older than the history names a parameter to begin with where its list has one', () => {
  const history = {
    retainedFromMs: content.after.atMs + 1,
    droppedBeforeMs: content.after.atMs + 1,
    retentionDays: 183,
  };
  const input = { cursor: cursors.encode(content), limit: null, ignored: [] };
  const readMessage = (fromParameter?: string) => {
    try {
      parseListQuery(cursors, { name: content.operation, fromParameter }, content.tenantId, input, history);
    } catch (error) {
      return (error as Error).message;
    }
  };
  const begin = new Date(history.retainedFromMs).toISOString();
  expect(readMessage('discoveredFrom')).toContain(`without it, with discoveredFrom=${begin}.`);
  expect(readMessage()).toContain(`without it; rows are stored since ${begin}.`);
});

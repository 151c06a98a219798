import { type AuditLogEvent, auditLogEvent, formatEvent, joinMemberLines, lineMembers } from '@tenantscope/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeTimestamp, writeUuid } from '../src/ingest/row/binary-copy.ts';
import { DocumentWriter } from '../src/read/log/log-document.ts';

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\n',
    '\r\n',
    '"\n"',
    '\u2028',
    '\x0a0a',
    '\u0a0a\u0b0a',
    'null',
    ',"id":null',
    '\u{1f512}',
    'é',
    '\v\t',
  ),
  fc.nat(9).map((length) => 'x'.repeat(length)),
);
const member = fc.oneof(
  fc.constant(null),
  hostile,
  fc.boolean(),
  fc.double(),
  fc.dictionary(hostile, hostile, { maxKeys: 3 }),
  fc.array(hostile, { maxLength: 3 }),
);
const key = fc.record({
  id: fc.uuid(),
  occurredAt: fc.date({ min: new Date('2000-01-01'), max: new Date('2100-12-31'), noInvalidDate: true }),
  discoveredAt: fc.date({ min: new Date('1999-12-31'), max: new Date('2100-12-31'), noInvalidDate: true }),
});
const rows = fc.array(
  fc.tuple(key, fc.array(member, { minLength: lineMembers.length, maxLength: lineMembers.length })),
  {
    minLength: 1,
    maxLength: 5,
  },
);
const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';

/** A row in the binary format of COPY. */
function encodeRow(id: string, occurredAtMs: number, discoveredAtMs: number, lines: string): Buffer {
  const text = Buffer.from(lines);
  const row = Buffer.alloc(50 + text.length);
  row.writeInt16BE(4);
  row.writeInt32BE(16, 2);
  writeUuid(row, id, 6);
  row.writeInt32BE(8, 22);
  writeTimestamp(row, occurredAtMs, 26);
  row.writeInt32BE(8, 34);
  writeTimestamp(row, discoveredAtMs, 38);
  row.writeInt32BE(text.length, 46);
  text.copy(row, 50);
  return row;
}

test('a document has the bytes of the event as JSON, whatever its members contain', { tags: 'exhaustive' }, () => {
  fc.assert(
    fc.property(rows, fc.nat(3), (given, offset) => {
      const writer = new DocumentWriter(tenantId);
      for (const [{ id, occurredAt, discoveredAt }, values] of given) {
        const times = { occurredAt: occurredAt.toISOString(), discoveredAt: discoveredAt.toISOString() };
        const members = new Map<string, unknown>(lineMembers.map((name, index) => [name, values[index]]));
        members.set('truncated', values.at(-1) === true);
        const lines = joinMemberLines(
          lineMembers.map((name) => {
            const value = members.get(name);
            return value === null || (value === false && name === 'truncated') ? '' : JSON.stringify(value);
          }),
        );
        const head: Record<string, unknown> = { id, ...times, tenantId };
        const event = Object.fromEntries(
          Object.keys(auditLogEvent.shape).map((name) => [name, name in head ? head[name] : members.get(name)]),
        ) as AuditLogEvent;

        const row = encodeRow(id, occurredAt.getTime(), discoveredAt.getTime(), lines);
        const source = Buffer.concat([Buffer.alloc(offset), row]);
        const target = Buffer.alloc(offset + writer.maxBytes(row.length - 50), 0xff);
        const end = writer.write(source, offset, target, offset);
        const text = target.toString('utf8', offset, end);
        expect(text).toBe(JSON.stringify(event));
        expect(formatEvent(event, lines)).toBe(text);
      }
    }),
  );
});

test('lines after the last member are left out', () => {
  const id = '019a9f3c-2d40-8b1e-9c57-3f0a6d2e81b4';
  const complete = `"a"${'\n'.repeat(lineMembers.length - 1)}true`;
  const writer = new DocumentWriter(tenantId);
  const [text, later] = [complete, `${complete}\n"later"\n`].map((lines) => {
    const target = Buffer.alloc(writer.maxBytes(lines.length));
    return target.toString('utf8', 0, writer.write(encodeRow(id, 0, 0, lines), 0, target, 0));
  });
  expect(later).toBe(text);
  expect(JSON.parse(text ?? '')).toMatchObject({ action: 'a', truncated: true });
});

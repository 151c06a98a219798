import { auditLogEvent, lineMembers } from '@tenantscope/contract';
import { activityFormats, formatLogRow, readActivity } from '@tenantscope/intake';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { context, management, message, readRow } from './message.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '\n', '\r\n', '\n\n', '\u2028', '\x7f', '\ud800', 'null', 'a\nb', '"\n"'),
);

test('a row has a line for each member of the contract, whatever its texts contain', { tags: 'exhaustive' }, () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (name, operation, parameter) => {
      const row = readRow(
        'o365.management-activity',
        management({ Operation: `x${operation}`, SourceFileName: name, Extra: parameter }),
      );
      const text = formatLogRow(row).replace('0000-00-00', '2026-11-21');
      expect(JSON.stringify(auditLogEvent.strict().parse(JSON.parse(text)))).toBe(text);
      expect(row.memberLines.split('\n').length).toBeLessThanOrEqual(lineMembers.length);
    }),
  );
});

test('members that are null take a byte each, or no byte at the end', () => {
  const { memberLines } = readRow('o365.management-activity', management());
  expect(memberLines).not.toMatch(/null|false|\n$/);
});

test('columns have the values of the document', { tags: 'exhaustive' }, () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...activityFormats),
      fc.dictionary(fc.string(), fc.string({ unit: 'binary' })),
      (format, members) => {
        for (const outcome of readActivity(message(format, { ...members, ...management() }), context)) {
          if (outcome.kind !== 'log') continue;
          const document = JSON.parse(formatLogRow(outcome.row)) as Record<string, unknown>;
          const { targetIds: _targets, action, ...columns } = outcome.row.columns;
          expect(document).toMatchObject(columns);
          expect(action).toBe(String(document.action).toLowerCase());
          expect(Date.parse(String(document.occurredAt))).toBe(outcome.row.occurredAtMs);
          expect(document.id).toBe(outcome.row.id);
        }
      },
    ),
  );
});

test.each(['語', '\u200b', '\u{e0041}', '\ud800'])(
  'filter columns fit into an index entry, even full of %j',
  (unit) => {
    const long = `x${unit.repeat(5000)}`;
    const { columns } = readRow(
      'o365.management-activity',
      management({
        Operation: long,
        ObjectId: long,
        UserId: long,
        UserKey: '',
        Workload: long,
        Id: long,
        RecordType: 999,
      }),
    );
    for (const value of Object.values(columns)) expect(Buffer.byteLength(String(value))).toBeLessThanOrEqual(2400);
  },
);

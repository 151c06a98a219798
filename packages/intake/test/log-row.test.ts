import { auditLogEvent } from '@tenantscope/contract';
import { activityFormats, DISCOVERED_AT_OFFSET, readActivity } from '@tenantscope/intake';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { context, management, message, readRow } from './message.ts';

const stamp = '2026-11-21T17:25:44.688Z';

test('the stamp replaces a placeholder at the same byte offset in every document', {
  tags: 'exhaustive',
}, () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, operation) => {
      const { document } = readRow(
        'o365.management-activity',
        management({ Operation: `x${operation}`, SourceFileName: name }),
      );
      const bytes = Buffer.from(document);
      bytes.write(stamp, DISCOVERED_AT_OFFSET, 'latin1');
      const stamped = JSON.parse(bytes.toString()) as Record<string, unknown>;
      expect(stamped).toEqual({ ...(JSON.parse(document) as object), discoveredAt: stamp });
    }),
  );
});

test('a stamped document matches the contract, in its order', () => {
  const { document } = readRow('o365.management-activity', management());
  const stamped = document.replace('0000-00-00T00:00:00.000Z', stamp);
  expect(JSON.stringify(auditLogEvent.strict().parse(JSON.parse(stamped)))).toBe(stamped);
  expect(Object.keys(JSON.parse(document) as object)).toEqual(Object.keys(auditLogEvent.shape));
});

test('columns have the values of the document', { tags: 'exhaustive' }, () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...activityFormats),
      fc.dictionary(fc.string(), fc.string({ unit: 'binary' })),
      (format, members) => {
        for (const outcome of readActivity(message(format, { ...members, ...management() }), context)) {
          if (outcome.kind !== 'log') continue;
          const document = JSON.parse(outcome.row.document) as Record<string, unknown>;
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

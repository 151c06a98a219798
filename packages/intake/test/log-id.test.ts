import { type Outcome, readActivity } from '@tenantscope/intake';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalizeJson } from '../src/json/canonical.ts';
import { parseLossless } from '../src/json/parse-lossless.ts';
import { type ParsedJson, readJson } from '../src/json/read-json.ts';
import { scanJson } from '../src/json/scan.ts';
import { serializeLossless } from '../src/json/serialize-lossless.ts';
import type { Json } from '../src/json/value.ts';
import { isRejection, type Rejection } from '../src/message/rejection.ts';
import { context, management, message, read, readRow, tenantId } from './message.ts';

const format = 'o365.management-activity';

/** JSON text of a record with one more member, written by hand so that its spelling is what the test says. */
function recordWith(member: string): string {
  return `${JSON.stringify(management()).slice(0, -1)},${member}}`;
}

describe('the id', () => {
  test('is a UUID of version 8 that begins with the time', () => {
    const { id, occurredAtMs } = readRow(format, management());
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(occurredAtMs);
  });

  test('never changes, because every stored row has it', () => {
    expect(readRow(format, management()).id).toBe('01a1f806-60d0-84ad-8aef-781b2932222b');
  });

  test('depends on the tenant and the family of sources', () => {
    const other = '11111111-2222-4333-8444-555555555555';
    const [outcome] = readActivity(
      { ...message(format, management()), headers: { ...message(format, {}).headers, ce_tenantid: other } },
      { ...context, findTenant: () => ({ azureTenantId: null }) },
    );
    expect(outcome).toMatchObject({ kind: 'log', row: { tenantId: other } });
    expect(outcome?.kind === 'log' && outcome.row.id).not.toBe(readRow(format, management()).id);
  });

  test.each([
    ['digits beyond 2^53', '"n":9007199254740993', '"n":9007199254740992'],
    ['twenty digits', '"n":117433848155128707444', '"n":117433848155128707445'],
    ['a fraction of zero', '"n":1.0', '"n":1'],
    ['an exponent', '"n":1e3', '"n":1000'],
    ['a negative zero', '"n":-0', '"n":0'],
    ['a long fraction', '"n":78.376632690429688', '"n":78.37663269042969'],
    ['a tiny number', '"n":0.0000001', '"n":1e-7'],
    ['numbers beyond the range of a double', '"n":1e999', '"n":2e999'],
    ['a member hidden by a later one', '"n":1,"n":3', '"n":2,"n":3'],
    ['the presence of a hidden member', '"n":1,"n":1', '"n":1'],
    ['a hidden member inside an array', '"n":[{"a":1,"a":2}]', '"n":[{"a":2}]'],
    ['the type of a number', '"n":1', '"n":"1"'],
    ['a null member', '"n":null', '"m":1'],
    ['a member named __proto__', '"__proto__":{"a":1}', '"__proto__":{"a":2}'],
    ['a __proto__ next to long digits', '"n":1.0,"__proto__":1', '"n":1.0,"__proto__":2'],
    ['unpaired surrogates', '"n":"\\ud800"', '"n":"\\ud801"'],
  ])('differs for two records that differ in %s', (_what, one, other) => {
    expect(readRow(format, recordWith(one)).id).not.toBe(readRow(format, recordWith(other)).id);
  });

  test.each([
    ['escapes', '"n":"\\u0041\\/"', '"n":"A/"'],
    ['the order of members', '"n":1,"m":2', '"m":2,"n":1'],
    ['white space', '"n" : [ 1 ,\t2 ]\n', '"n":[1,2]'],
    [
      'the order around a long number',
      '"n":{"b":1.0,"a":12345678901234567890}',
      '"n":{"a":12345678901234567890,"b":1.0}',
    ],
    ['the order around a repeated name', '"a":1,"b":2,"a":3', '"b":2,"a":1,"a":3'],
  ])('is independent of %s', (_what, one, other) => {
    expect(readRow(format, recordWith(one)).id).toBe(readRow(format, recordWith(other)).id);
  });

  test('is the same for every export of the Management Activity API', () => {
    const record = management();
    const { id } = readRow(format, record);
    const text = JSON.stringify(record);
    const exports = [
      [record],
      { value: [record] },
      { RecordType: 'SharePoint', CreationDate: '5/18/2021 9:13:33 PM', Operation: 'x', AuditData: text },
      { RecordType: 'SharePoint', AuditData: JSON.stringify(record, null, 2) },
      { id: 'x', auditLogRecordType: 'sharePoint', auditData: record },
      { value: [{ id: 'x', auditData: text }] },
    ];
    for (const name of exports) expect(readRow(format, name).id).toBe(id);
  });

  test('of an Azure Monitor record does not depend on whether its properties are text', () => {
    const frame = { time: '2026-11-20T08:15:30Z', category: 'AuditLogs', operationName: 'Add user' };
    const properties = { id: 'a', n: 1.5, m: [1] };
    const ids = [properties, JSON.stringify(properties), ' { "m":[1], "n":1.5, "id":"a"}'].map(
      (each) => readRow('entra.audit.azuremonitor', { records: [{ ...frame, properties: each }] }).id,
    );
    expect(new Set(ids).size).toBe(1);
  });

  test('differs for the events of one envelope, even for equal events', () => {
    const envelope = { id: { time: '2026-11-20T08:15:30Z', uniqueQualifier: '1', applicationName: 'admin' } };
    const ids = (payload: unknown) =>
      read('google.reports.activity', payload).map((outcome) => outcome.kind === 'log' && outcome.row.id);
    const event = { name: 'CREATE_USER' };
    const three = ids({ ...envelope, events: [event, event, { name: 'DELETE_USER' }] });
    expect(new Set(three).size).toBe(3);
    expect(ids({ ...envelope, events: event })).toEqual(ids({ ...envelope, events: [event] }));
    expect(ids({ events: event, ...envelope })).toEqual(three.slice(0, 1));
  });

  test('of a Google event does not depend on the etag with which it is listed', () => {
    const activity = {
      id: { time: '2026-11-20T08:15:30Z', uniqueQualifier: '1', applicationName: 'admin' },
      events: [{ name: 'CREATE_USER' }],
    };
    const rows = ['"a/1"', '"b/1"'].map((etag) => readRow('google.reports.activity', { ...activity, etag }).id);
    expect(new Set(rows).size).toBe(1);
    expect(rows[0]).toBe(readRow('google.reports.activity', activity).id);
  });
});

describe('canonical text', () => {
  /** Names that the language treats in ways of its own. */
  const names = fc.oneof(
    fc.string(),
    fc.constantFrom('__proto__', 'constructor', 'toString', '0', '10', '9', '-1', 'id'),
  );
  const { value: values } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .array(fc.tuple(names, tie('value')), { maxLength: 5 })
        .map((members) => Object.fromEntries(new Map(members.map(([name, value]) => [name, value])))),
    ),
  }));
  const texts = values.map((value) => JSON.stringify(value));

  test('does not depend on the order of members or on white space', { tags: 'exhaustive' }, () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 4 }), (value, indent) => {
        const other = JSON.stringify(reversed(value), null, indent);
        expect(canonical(other)).toBe(canonical(JSON.stringify(value)));
      }),
    );
  });

  test('is the same for one value in every way of reading and writing', { tags: 'exhaustive' }, () => {
    fc.assert(
      fc.property(texts, (text) => {
        const value = JSON.parse(text) as Json;
        expect(canonicalizeJson(value, false)).toBe(canonicalizeJson(value, true));
        expect(canonicalizeJson(parseLossless(text), false)).toBe(canonical(text));
        expect(canonicalizeJson(parseLossless(text), true)).toBe(canonical(text));
        expect(JSON.parse(canonical(text))).toEqual(value);
      }),
    );
  });

  test('preserves the digits of every number', { tags: 'exhaustive' }, () => {
    const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/);
    fc.assert(
      fc.property(digits, (number) => {
        expect(canonical(`{"a":[${number}]}`)).toBe(`{"a":[${number}]}`);
        if (scanJson(Buffer.from(number)).exactNumbers.length === 0) expect(String(JSON.parse(number))).toBe(number);
      }),
      { numRuns: 2000 },
    );
  });

  function canonical(text: string): string {
    const { value, hasDuplicateNames } = taken(readJson(Buffer.from(text), 'the value'));
    return canonicalizeJson(value, hasDuplicateNames);
  }

  function taken(reading: ParsedJson | Rejection): ParsedJson {
    if (isRejection(reading)) throw new Error(reading.detail);
    return reading;
  }

  function reversed(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, reversed(member)]),
    );
  }
});

test('a record gives the same row alone, among others and in structured mode', { tags: 'exhaustive' }, () => {
  const names = fc.oneof(fc.string(), fc.constantFrom('value', 'records', 'items', 'events', '__proto__'));
  const extra = fc.dictionary(names, fc.jsonValue({ maxDepth: 2 }));
  fc.assert(
    fc.property(extra, fc.boolean(), (members, awkward) => {
      const record = { ...members, ...management() };
      const neighbour = awkward ? '{"n":1.0,"n":2}' : '{}';
      const alone = read(format, record)[0];
      const [, among] = read(format, `[${neighbour},${JSON.stringify(record, null, 1)}]`);
      const event = `{"specversion":"1.0","type":"tenantscope.raw.o365-management-activity.v1","tenantid":"${tenantId}","data":${JSON.stringify(record)}}`;
      const headers = { 'content-type': 'application/cloudevents+json' };
      const [structured] = readActivity({ key: null, value: Buffer.from(event), headers }, context);
      expect(parseSource(among)).toEqual({ ...parseSource(alone), element: 1 });
      expect(structured).toEqual(alone);
    }),
  );
});

/** Spaces between members are the sender's. */
function parseSource(outcome: Outcome | undefined): object {
  if (outcome?.kind !== 'log') throw new Error('not a row');
  const { source, ...row } = outcome.row;
  return { ...outcome, row: { ...row, source: JSON.parse(source.text.toString()) as unknown } };
}

describe('a text with numbers that a double would change', () => {
  const readValue = (text: string) => {
    const parsed = readJson(Buffer.from(text), 'the value');
    if (isRejection(parsed)) throw new Error(parsed.detail);
    return parsed.value;
  };

  test('is read as by the lossless parser, whatever names and strings are next to the numbers', {
    tags: 'exhaustive',
  }, () => {
    const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/);
    const string = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('1.0', '\\"1.0', 'ł', '__proto__'));
    const name = fc.oneof(string, fc.constantFrom('__proto__', '7', '10', 'a', ''));
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        number,
        fc.constantFrom('1', '1.0', '-0', '0.0', '1e0'),
        string.map((each) => JSON.stringify(each)),
        fc.array(tie('value'), { maxLength: 4 }).map((items) => `[ ${items.join(' , ')}]`),
        fc
          .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 4, selector: ([each]) => each })
          .map((members) => `{${members.map(([each, member]) => `${JSON.stringify(each)}: ${member}`).join(',')}}`),
      ),
    }));
    fc.assert(
      fc.property(value, (text) => {
        expect(serializeLossless(readValue(text))).toBe(serializeLossless(parseLossless(text)));
        expect(readValue(text)).toEqual(parseLossless(text));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    '{"b":1.0,"1":1}',
    '{"a":-0,"b":[1e5,{"c":78.376632690429688}],"d":"1.0"}',
    '{"__proto__":1.0,"a":1}',
    '1.0',
    `[${new Array(10_000).fill('1.0').join(',')}]`,
  ])('has the digits of all of them: %.40s', (text) => {
    expect(serializeLossless(readValue(text))).toBe(serializeLossless(parseLossless(text)));
  });
});

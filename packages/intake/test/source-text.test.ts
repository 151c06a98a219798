import { type ActivityFormatName, type Outcome, readActivity, toEventType } from '@tenantscope/intake';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sliceElements, sliceMember } from '../src/json/slice.ts';
import { context, management, message, read, tenantId } from './message.ts';

const managementFormat = 'o365.management-activity';
const googleFormat = 'google.reports.activity';

/** The raw text of each row of a payload. */
function sources(format: ActivityFormatName, payload: unknown): string[] {
  return sourcesOf(read(format, payload));
}

function sourcesOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.map((outcome) => {
    if (outcome.kind !== 'log') throw new Error(`not a row: ${JSON.stringify(outcome)}`);
    const { text, frame } = outcome.row.source;
    return Buffer.concat([frame?.before ?? Buffer.alloc(0), text, frame?.after ?? Buffer.alloc(0)]).toString();
  });
}

/** Digits, duplicate names, escapes and invisible characters that no parser of the language returns unchanged. */
const hostile = String.raw`"Weight":9007199254740993,"One":1.0,"Big":1e5,"Twice":1,"Twice":[2,"]}"],"Nul":"\u0000\ud800\"\\","Tag":"${'\u202e'}","__proto__":{"a":-0}`;
const inner = (number: number) => JSON.stringify(management({ Id: `id-${number}` })).replace(/}$/, `, ${hostile} }`);

describe('the received text of a row', () => {
  test('is the whole value of a message with one record, without a byte order mark', () => {
    const text = ` \n${inner(1)}\t`;
    expect(sources(managementFormat, text)).toEqual([text]);
    expect(sources(managementFormat, Buffer.from(`\ufeff${inner(1)}`))).toEqual([inner(1)]);
  });

  test('is the element of an array or of a page', () => {
    const texts = [inner(1), inner(2), inner(3)];
    expect(sources(managementFormat, `[ ${texts.join(' ,\n')} ]`)).toEqual(texts);
    const page = `{"value":[0],"next":"]", "\\u0076alue" : [${texts.join()}] , "count":{"value":[1]}}`;
    expect(sources(managementFormat, page)).toEqual(texts);
  });

  test('is the value of the member that contains the record, as JSON text or as an object', () => {
    expect(sources(managementFormat, JSON.stringify({ Identity: 'x', AuditData: inner(1) }))).toEqual([
      Buffer.from(inner(1)).toString(),
    ]);
    expect(sources(managementFormat, `[{"AuditData":1,"Identity":"x","AuditData": ${inner(2)} }]`)).toEqual([inner(2)]);
  });

  test('is the data of a structured event', () => {
    const event = `{"specversion":"1.0","type":"${toEventType(managementFormat)}","tenantid":"${tenantId}","data": [${inner(1)},${inner(2)}]}`;
    const outcomes = readActivity(
      { key: null, value: Buffer.from(event), headers: { 'content-type': 'application/cloudevents+json' } },
      context,
    );
    expect(sourcesOf(outcomes)).toEqual([inner(1), inner(2)]);
  });

  test('is the envelope of an event of Google with that one event', () => {
    const event = (name: string) => `{ "name":"${name}","parameters":[{"name":"n","intValue":9007199254740993}]}`;
    const envelope = (events: string) =>
      `{"id":{"time":"2026-11-20T08:15:30Z","uniqueQualifier":"-1"}, "events" : ${events} ,"n":1.0,"n":1e5}`;
    expect(sources(googleFormat, envelope(`[ ${event('a')}, ${event('b')} ]`))).toEqual([
      envelope(`[${event('a')}]`),
      envelope(`[${event('b')}]`),
    ]);
    expect(sources(googleFormat, envelope(`[ ${event('a')} ]`))).toEqual([envelope(`[ ${event('a')} ]`)]);
    expect(sources(googleFormat, envelope(event('a')))).toEqual([envelope(event('a'))]);
    expect(sources(googleFormat, `{"items":[${envelope(`[${event('a')},${event('b')}]`)}]}`)).toEqual([
      envelope(`[${event('a')}]`),
      envelope(`[${event('b')}]`),
    ]);
  });

  test('contains the names of a warehouse, which the row reads as those of the API', () => {
    const text = '{"eventType":"user.session.start","published":"2026-11-20T08:15:30Z","UUID":"1"}';
    expect(sources('okta.system-log', text)).toEqual([text]);
  });

  test('shares the envelope of ten thousand events', { tags: 'exhaustive' }, () => {
    const padding = 'x'.repeat(500_000);
    const payload = `{"id":{"time":"2026-11-20T08:15:30Z"},"padding":"${padding}","events":[${Array.from({ length: 10_000 }, (_, number) => `{"name":"e${number}"}`).join()}]}`;
    const outcomes = readActivity(message(googleFormat, payload), context);
    const frames = outcomes.map((outcome) => (outcome.kind === 'log' ? outcome.row.source.frame : null));
    expect(outcomes).toHaveLength(10_000);
    expect(new Set(frames).size).toBe(1);
  });
});

describe('slices of JSON text', () => {
  /** Any JSON text, with any spaces, duplicate names and escapes in names. */
  const space = fc.constantFrom('', ' ', '\n\t', '\r ');
  const name = fc.oneof(fc.constantFrom('a', 'b', '', '"', 'ą', '\u0000'), fc.string({ unit: 'binary' }));
  const nameText = fc
    .tuple(name, fc.boolean())
    .map(([text, escaped]) => (escaped ? `"${escapeUnits(text)}"` : JSON.stringify(text)));
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('1', '-0', '1.0', '1e5', '9007199254740993', 'true', 'null', '"]}"', String.raw`"\\\""`),
      fc.string().map((text) => JSON.stringify(text)),
      fc.array(fc.tuple(space, tie('value'), space)).map((items) => `[${items.map((item) => item.join('')).join()}]`),
      fc
        .array(fc.tuple(space, nameText, space, fc.constant(':'), space, tie('value'), space))
        .map((members) => `{${members.map((member) => member.join('')).join()}}`),
    ),
  }));

  test('elements are the values of the array in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(space, value, space)), space, (items, inEmpty) => {
        const text = items.length === 0 ? ` [${inEmpty}]` : ` [${items.map((item) => item.join('')).join()}]`;
        const slices = sliceElements(Buffer.from(text)).map(String);
        expect(slices).toEqual(items.map(([, item]) => item));
      }),
    );
  });

  test('a member is the value that a parser reads', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(nameText, value, space)), name, space, (members, requested, around) => {
        const text = `${around}{${around}${members.map(([key, item, pad]) => `${key}${pad}:${pad}${item}${pad}`).join(`,${around}`)}}`;
        const parsed = JSON.parse(text) as Record<string, unknown>;
        const slice = sliceMember(Buffer.from(text), requested);
        if (slice === null) expect(Object.hasOwn(parsed, requested)).toBe(false);
        else expect(JSON.parse(slice.toString())).toEqual(parsed[requested]);
      }),
    );
  });
});

/** Every UTF-16 unit as an escape. */
const escapeUnits = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

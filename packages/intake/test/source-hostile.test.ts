import { gzipSync } from 'node:zlib';
import { readActivity, wholeMessage } from '@tenantscope/intake';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activityRecords } from './format-records.ts';
import { context, ends, management, message, read, readRow } from './message.ts';
import { wrappings } from './wrappings.ts';

const format = 'o365.management-activity';
const text = JSON.stringify(management());
const bare = readRow(format, text);
const nest = (levels: number, name: string) => {
  let nested = text;
  for (let level = 0; level < levels; level++) nested = `{${JSON.stringify(name)}:${nested}}`;
  return nested;
};
const detail = (payload: string | Buffer) => {
  const [outcome] = read(format, payload);
  return outcome?.kind === 'rejected' ? outcome.detail : null;
};

describe('wrappers', () => {
  test('are removed up to three levels deep', () => {
    expect(readRow(format, nest(3, 'payload'))).toEqual(bare);
    expect(ends(read(format, nest(4, 'payload')))).toEqual(['MISSING_ACTION']);
  });

  test('that were combined are removed while the levels suffice', () => {
    const { 'Kafka Connect with text': connect, Filebeat: beat, 'an event hub': hub } = wrappings;
    expect(readRow(format, connect?.(String(beat?.(String(hub?.(text))))))).toEqual(bare);
  });

  test('are taken in their order, and the first that contains a record counts', () => {
    const other = JSON.stringify(management({ Id: 'other' }));
    expect(readRow(format, `{"payload":${other},"message":${JSON.stringify(text)}}`)).toEqual(bare);
    expect(readRow(format, `{"message":"plain text","log":"{","event":{"x":1},"payload":${text}}`)).toEqual(bare);
    expect(readRow(format, `{"records":[],"value":{},"items":[1],"data":${text}}`)).toEqual(bare);
  });

  test('with a name that is there twice have the last of them', () => {
    expect(readRow(format, `{"payload":{"CreationTime":1},"payload":${text}}`)).toEqual(bare);
  });

  test('do not replace a record that has members named like them', () => {
    const own = management({ message: text, records: [management()], data: { events: [management()] } });
    expect(readRow(format, own).memberLines).toContain('FileDownloaded');
    expect(readRow(format, own).id).not.toBe(bare.id);
    expect(read(format, own)).toHaveLength(1);
  });

  test('give all elements of a list with one record, the others as dead letters', () => {
    const list = JSON.stringify({ records: [management(), 'text', null, {}, [management()], management()] });
    const outcomes = read(format, list);
    expect(ends(outcomes)).toEqual([
      'log',
      'SCHEMA_VIOLATION',
      'SCHEMA_VIOLATION',
      'MISSING_ACTION',
      'SCHEMA_VIOLATION',
      'log',
    ]);
    for (const element of outcomes.keys()) {
      expect(read(format, list, { onlyElement: element })).toEqual([outcomes[element]]);
    }
  });

  test('of each of several records are removed', () => {
    const beats = [1, 2].map((id) => ({ message: JSON.stringify(management({ Id: `id-${id}` })) }));
    expect(ends(read(format, beats))).toEqual(['log', 'log']);
    expect(ends(read(format, beats.map((beat) => JSON.stringify(beat)).join('\n')))).toEqual(['log', 'log']);
  });
});

describe('a value that is not unwrapped', () => {
  test('is a rejection of the whole message, so that a replay reads all records that a later version finds', () => {
    for (const payload of ['{"wrapper":{"list":[]}}', '[{"wrapper":1}]', '"text"', '7']) {
      expect(read(format, payload)).toMatchObject([{ kind: 'rejected', element: wholeMessage }]);
    }
    expect(read('google.reports.activity', '{"wrapper":1}')).toMatchObject([{ element: wholeMessage }]);
    expect(read(format, management({ Operation: undefined }))).toMatchObject([{ element: 0 }]);
    expect(read(format, management({ CreationTime: undefined }))).toMatchObject([{ element: 0 }]);
    expect(read(format, [{ wrapper: 1 }, management()])).toMatchObject([{ element: 0 }, { element: 1 }]);
  });

  test('is rejected with the names of its members and never their values', () => {
    expect(detail('{"secret":"hunter2","other":{"Password":"x"}}')).toBe(
      'the record names no operation: the value has the members secret, other; no format has these names',
    );
    expect(detail('{}')).toContain('the value has no members');
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`name-${index}`, 1]));
    expect(detail(JSON.stringify(many))).toContain('name-7 and 12 more;');
  });

  test('is rejected with the formats whose names it has', () => {
    expect(detail(JSON.stringify(activityRecords['okta.system-log']))).toContain('names of the format okta.system-log');
    expect(detail(JSON.stringify(activityRecords['google.reports.activity']))).toContain('google.reports.activity');
    const [google] = read('google.reports.activity', { wrapper: 1 });
    expect(google).toMatchObject({ detail: expect.stringContaining('the members wrapper;') });
  });

  test('with hostile names has a short and visible detail', () => {
    const hostile = JSON.stringify({ ['\u202e\u0000'.repeat(50_000)]: 1, [`a${'b'.repeat(900_000)}`]: 1 });
    expect(detail(hostile)?.length).toBeLessThanOrEqual(512);
    expect(detail(hostile)).not.toMatch(/\p{Cc}|\u202e/u);
  });

  test.each([
    ['wrapped text', '{"message":"sshd[1]: accepted"}'],
    ['wrapped truncated JSON', JSON.stringify({ message: text.slice(0, -9) })],
    ['wrapped JSON of another kind', '{"message":"[1,2,3]","payload":"null","data":"\\"x\\""}'],
    ['base64 that is no JSON', '{"message":{"data":"AAECAw=="}}'],
    ['base64 that is no base64', '{"message":{"data":"*"}}'],
    ['base64 of damaged gzip', `{"message":{"data":"${gzipSync(text).subarray(0, 40).toString('base64')}"}}`],
  ])('is one dead letter: %s', (_name, payload) => {
    expect(ends(read(format, payload))).toEqual(['MISSING_ACTION']);
  });

  test('that is damaged gzip is INVALID_JSON, and a large one TOO_LARGE', { tags: 'exhaustive' }, () => {
    expect(ends(read(format, gzipSync(text).subarray(0, 40)))).toEqual(['INVALID_JSON']);
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576, 0x20));
    expect(bomb.length).toBeLessThan(100_000);
    expect(ends(read(format, bomb))).toEqual(['TOO_LARGE']);
    expect(ends(read(format, gzipSync('')))).toEqual(['EMPTY_PAYLOAD']);
  });

  test('that is truncated is INVALID_JSON, although it has lines', () => {
    expect(ends(read(format, JSON.stringify([management(), management()], null, 1).slice(0, -5)))).toEqual([
      'INVALID_JSON',
    ]);
    expect(ends(read(format, `{"a":\n${text}`))).toEqual(['INVALID_JSON']);
  });
});

/** Payloads made to exhaust memory or a clock: one MiB of wrappers without any record. */
const floods: readonly [name: string, payload: () => string][] = [
  ['bombs in base64', () => listOf(`{"message":{"data":"${bomb().toString('base64')}"}}`)],
  ['texts that begin like base64', () => listOf('{"message":"eyJhIjoxfQ","payload":"H4sIAAAAAAAA"}')],
  ['nested JSON texts', () => JSON.stringify({ message: JSON.stringify({ message: '["'.repeat(250_000) }) })],
  ['lists of wrappers', () => listOf('{"records":[{"events":[{"data":{"events":[{}]}}]}]}')],
  [
    'wrappers with every name',
    () => listOf('{"message":{"data":"e30="},"data":{"events":"[]"},"event":{"original":"{}"}}'),
  ],
  ['empty objects', () => listOf('{}')],
  ['lines', () => '{}\n'.repeat(340_000)],
  ['spaces before text', () => JSON.stringify({ message: `${' '.repeat(1_000_000)}x` })],
];
const bomb = () => gzipSync(Buffer.alloc(900_000, 0x20), { level: 9 });
const listOf = (element: string) => `[${new Array(Math.floor(1_000_000 / (element.length + 1))).fill(element).join()}]`;

test.each(floods)(
  'one MiB of %s takes less than two seconds of processor time',
  { tags: 'exhaustive' },
  (_name, payload) => {
    const text = payload();
    const started = process.cpuUsage();
    const outcomes = read(format, text);
    expect(new Set(ends(outcomes))).not.toContain('log');
    const { user, system } = process.cpuUsage(started);
    expect(user + system).toBeLessThan(2_000_000);
  },
);

test('no values in wrapper members make the reader throw or lose an element', { tags: 'exhaustive' }, () => {
  const names = 'records value items events message log _raw event payload detail data original CreationTime Operation';
  const anything = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      fc.constantFrom(text, '{"records":[', 'e30=', gzipSync(text).toString('base64'), '', null, 7),
      fc.constant(management()),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names.split(' '), 'event.original', '@timestamp'), tie('value'), { maxKeys: 4 }),
      tie('value').map((value) => JSON.stringify(value)),
    ),
  })).value;
  fc.assert(
    fc.property(anything, (value) => {
      const given = message(format, JSON.stringify(value));
      const outcomes = readActivity(given, context);
      expect(outcomes.length).toBeGreaterThanOrEqual(1);
      const elements = new Set(outcomes.map(({ element }) => element));
      if (elements.has(wholeMessage)) expect(ends(outcomes)).toEqual([expect.not.stringMatching('log')]);
      else expect([...elements]).toEqual(Array.from(elements, (_, index) => index));
      for (const outcome of outcomes) {
        const onlyElement = outcome.element === wholeMessage ? null : outcome.element;
        expect(readActivity(given, { ...context, onlyElement })).toContainEqual(outcome);
      }
    }),
    { numRuns: 1_000 },
  );
});

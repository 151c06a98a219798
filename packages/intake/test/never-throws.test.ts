// @module-tag exhaustive
import {
  type ActivityFormatName,
  activityFormats,
  formatLogRow,
  type Message,
  readActivity,
  readTenantRecord,
  toEventType,
  wholeMessage,
} from '@tenantscope/intake';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { context, ends, management, message, read, tenantId } from './message.ts';

/** Names that rules ask for, so that what they hold is not only ever missing. */
const names = fc.oneof(
  fc.string(),
  fc.constantFrom(
    ...'__proto__ constructor toString hasOwnProperty length $ref id value records items events properties AuditData auditData'.split(
      ' ',
    ),
    ...'Operation CreationTime RecordType UserType UserId UserKey Actor Target Item AffectedItems ItemType ObjectId'.split(
      ' ',
    ),
    ...'Parameters ModifiedProperties ExtendedProperties DeviceProperties PolicyDetails CopilotEventData Message'.split(
      ' ',
    ),
    ...'ID Type Name Value parameters name type time actor target targetResources initiatedBy user app status'.split(
      ' ',
    ),
    ...'eventType published outcome client userAgent severity category createdDateTime activityDisplayName'.split(' '),
    ...'debugContext debugData risk behaviors threatSuspected threatDetections changeDetails securityContext'.split(
      ' ',
    ),
    ...'event_name record_type time_usec networkInfo messageValue multiMessageValue parameter intValue'.split(' '),
    ...'interactionType from user application contexts links attachments'.split(' '),
    ...'Members AffectedItems Folders FolderItems Rules Actions AppAccessContext EventData Data EventSource Recipients'.split(
      ' ',
    ),
    ...'OperationProperties ExtraProperties Key OldValue NewValue Property TargetUserOrGroupName ExchangeMetaData'.split(
      ' ',
    ),
    ...'EndpointMetaData AccessedResources Messages AISystemPlugin ModelTransparencyDetails ClientInfoString FileData'.split(
      ' ',
    ),
    ...'ThreatsAndDetectionTech VirusInfo LogonError ErrorNumber Platform ResultStatus additionalDetails UserAgent'.split(
      ' ',
    ),
  ),
);
/** Any JSON value. Built by the tests: the first generator of binary strings takes 0.6 s, also where no test runs. */
const createAnything = () =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      fc.constantFrom(
        null,
        true,
        false,
        '',
        '2026-11-20T08:15:30Z',
        'UserLoginFailed',
        'Set-Mailbox',
        '{"User-Agent":[{}],"a":{"b":[1]}}',
        '["x"]',
        '<a>b</a>',
        'Client=OWA;a/b;',
        15,
        1e300,
        -0,
        tenantId,
      ),
      fc.double(),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(names, tie('value')), { maxLength: 8 }).map((members) => Object.fromEntries(members)),
    ),
  })).value;

/** What makes the members of a Management Activity record one of other formats as well. */
const otherRecords = {
  eventType: 'user.session.start',
  published: '2026-11-20T08:15:30Z',
  interactionType: 'userPrompt',
  createdDateTime: '2026-11-20T08:15:30Z',
  id: { time: '2026-11-20T08:15:30Z', applicationName: 'login' },
  events: [{ name: 'login_challenge', parameters: [{ name: 'login_challenge_status', value: 'passed' }] }],
};

/** Every promise about outcomes that holds for any message at all. */
function check(given: Message, maxElements = 10_000): void {
  const outcomes = readActivity(given, context);
  expect(outcomes.length).toBeGreaterThanOrEqual(1);
  expect(outcomes.length).toBeLessThanOrEqual(maxElements);
  expect(readActivity(given, context)).toEqual(outcomes);
  const ofElements = Map.groupBy(outcomes, ({ element }) => element);
  // A message that cannot be read is one rejection; else every element has its outcome.
  if (ofElements.has(wholeMessage)) expect(outcomes).toMatchObject([{ kind: 'rejected' }]);
  else expect([...ofElements.keys()]).toEqual(Array.from(ofElements.keys(), (_, index) => index));
  for (const [element, own] of ofElements) {
    const onlyElement = element === wholeMessage ? null : element;
    const [outcome, alert, ...others] = own;
    expect(others).toEqual([]);
    if (outcome?.kind === 'log') JSON.parse(formatLogRow(outcome.row));
    else expect(outcome?.kind === 'rejected' && outcome.detail.length).toBeLessThanOrEqual(512);
    if (alert !== undefined) expect([outcome?.kind, alert.kind]).toEqual(['log', 'state']);
    expect(readActivity(given, { ...context, onlyElement })).toEqual(own);
  }
}

test('no bytes make the readers throw', () => {
  fc.assert(
    fc.property(fc.constantFrom(...activityFormats), fc.uint8Array({ maxLength: 400 }), (format, bytes) => {
      check(message(format, Buffer.from(bytes)));
    }),
    { numRuns: 500 },
  );
});

test('no JSON in any format makes the readers throw', () => {
  fc.assert(
    fc.property(fc.constantFrom(...activityFormats), createAnything(), (format, value) => {
      check(message(format, JSON.stringify(value)));
    }),
    { numRuns: 2000 },
  );
});

test("no members in place of a valid record's own make the readers throw", () => {
  fc.assert(
    fc.property(fc.constantFrom(...activityFormats), fc.dictionary(names, createAnything()), (format, members) => {
      check(message(format, { ...management(), ...otherRecords, ...members }));
    }),
    { numRuns: 2000 },
  );
});

test('no envelope makes the readers throw', () => {
  const anything = createAnything();
  const values = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.array(fc.string()),
    fc.constant(undefined),
    fc.constantFrom(
      '1.0',
      'application/cloudevents+json',
      'application/json',
      tenantId,
      toEventType('okta.system-log'),
    ),
  );
  const headerNames = fc.oneof(
    fc.string(),
    fc.constantFrom('ce_type', 'CE_TYPE', 'ce_tenantid', 'ce_specversion', 'content-type', '__proto__'),
  );
  const structured = anything.map((data) => ({
    specversion: '1.0',
    type: toEventType('okta.system-log'),
    tenantid: tenantId,
    data,
  }));
  fc.assert(
    fc.property(
      fc.dictionary(headerNames, values),
      fc.oneof(anything, structured),
      fc.option(fc.string().map((text) => Buffer.from(text))),
      (headers, value, key) => {
        const given = { key, value: Buffer.from(JSON.stringify(value) ?? ''), headers };
        expect(readActivity(given, context).length).toBeGreaterThanOrEqual(1);
        expect(readTenantRecord(given, Date.now())).toHaveProperty('kind');
      },
    ),
    { numRuns: 2000 },
  );
});

/** Payloads made to exhaust a stack or a clock; each is about one MiB and must take well under a second. Made in the test: 0.5 s. */
const hostile: [name: string, makeText: () => string, ends: string][] = [
  ['10,000 levels of arrays', () => `${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'SCHEMA_VIOLATION'],
  ['10,000 levels of objects', () => `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 'SCHEMA_VIOLATION'],
  ['500,000 levels', () => `${'['.repeat(500_000)}${']'.repeat(500_000)}`, 'SCHEMA_VIOLATION'],
  ['500,000 levels without an end', () => '['.repeat(500_000), 'INVALID_JSON'],
  ['a number of a million digits', () => `{"RecordType":${'9'.repeat(1_000_000)}}`, 'MISSING_ACTION'],
  ['one name repeated', () => `{${new Array(150_000).fill('"a":1').join(',')}}`, 'MISSING_ACTION'],
  [
    'many names, each repeated',
    () => `{${Array.from({ length: 80_000 }, (_, index) => `"${index % 40_000}":1`).join(',')}}`,
    'MISSING_ACTION',
  ],
  ['slashes', () => JSON.stringify(management({ RecordType: 999, ObjectId: `${'/'.repeat(1_000_000)}x` })), 'log'],
  ['a user agent of slashes', () => JSON.stringify(management({ UserAgent: '|'.repeat(1_000_000) })), 'log'],
  ['almost addresses', () => JSON.stringify(management({ ClientIP: `${'(1.2.3.4'.repeat(120_000)}` })), 'log'],
  [
    'almost mail addresses',
    () =>
      JSON.stringify(
        management({ Operation: 'Set-Mailbox', Parameters: [{ Name: 'ForwardTo', Value: 'a'.repeat(1_000_000) }] }),
      ),
    'log',
  ],
  [
    'digits of a time',
    () => JSON.stringify(management({ CreationTime: `2026-11-20T08:15:30.${'1'.repeat(1_000_000)}x` })),
    'INVALID_TIMESTAMP',
  ],
  ['invisible text', () => JSON.stringify(management({ UserId: '\u200b'.repeat(300_000) })), 'log'],
  ['surrogates without partners', () => JSON.stringify(management({ UserId: '\ud800'.repeat(150_000) })), 'log'],
  ['an operation of many words', () => JSON.stringify(management({ Operation: 'aB'.repeat(400_000) })), 'log'],
];

test.each(hostile)('the readers do not throw: %s', (_name, makeText, reason) => {
  const text = makeText();
  const started = process.cpuUsage();
  const outcomes = read('o365.management-activity', text);
  expect(ends(outcomes)).toEqual([reason]);
  const { user, system } = process.cpuUsage(started);
  expect(user + system).toBeLessThan(2_000_000);
});

test('a large envelope is hashed once for ten thousand events', () => {
  const envelope = { id: { time: '2026-11-20T08:15:30Z', note: 'x'.repeat(800_000) } };
  const started = process.cpuUsage();
  const format: ActivityFormatName = 'google.reports.activity';
  const outcomes = read(format, { ...envelope, events: new Array(10_000).fill({ name: 'x' }) });
  expect(outcomes).toHaveLength(10_000);
  expect(new Set(outcomes.map((outcome) => outcome.kind === 'log' && outcome.row.id)).size).toBe(10_000);
  const { user, system } = process.cpuUsage(started);
  expect(user + system).toBeLessThan(3_000_000);
});

test('members named like those of the prototype are ordinary members', () => {
  const record = `{"__proto__":{"Operation":"Injected","CreationTime":"2026-11-20T08:15:30"},"constructor":1}`;
  expect(ends(read('o365.management-activity', record))).toEqual(['MISSING_ACTION']);
  expect(ends(read('o365.management-activity', record.replace('1}', '1.0}')))).toEqual(['MISSING_ACTION']);
  expect(({} as { Operation?: unknown }).Operation).toBeUndefined();
});

import { ApiError, listLogs, operations, parseInput, pingKey, type RawParameter } from '@tenantscope/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const open = { fromMs: null, toMs: null };
const start = {
  cursor: null,
  filters: {},
  windows: { discoveredAt: open, occurredAt: open },
  sort: 'discoveredAtDesc',
  limit: 50,
};

const logs = (query: string) => parseInput(listLogs, [...new URLSearchParams(query)]);

function rejection(read: () => unknown): ApiError {
  try {
    read();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test.each([
  ['', start],
  ['severity=&discoveredFrom=&limit=&sort=&cursor=&isManagedDevice=', start],
  ['cursor=0', start],
  ['severity=high', { ...start, filters: { severity: ['high'] } }],
  ['severity= high , critical ,high,', { ...start, filters: { severity: ['high', 'critical'] } }],
  ['severity=high&severity=low', { ...start, filters: { severity: ['high', 'low'] } }],
  ['action=Add member.,x', { ...start, filters: { action: ['Add member.', 'x'] } }],
  ['targetId=h,s,w', { ...start, filters: { targetId: ['h', 's', 'w', 'h,s,w'] } }],
  ['targetId=h,s&targetId=h,t&targetId=u', { ...start, filters: { targetId: ['h', 's', 't', 'u', 'h,s', 'h,t'] } }],
  ['actorId=h,s', { ...start, filters: { actorId: ['h', 's'] } }],
  ['isManagedDevice=false', { ...start, filters: { isManagedDevice: [false] } }],
  ['limit=3&limit=3&sort=discoveredAtAsc', { ...start, limit: 3, sort: 'discoveredAtAsc' }],
  [
    'discoveredFrom=2026-01-01&discoveredTo=2026-01-01&occurredTo=1767225600',
    {
      ...start,
      windows: {
        discoveredAt: { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 1) },
        occurredAt: { fromMs: null, toMs: Date.UTC(2026, 0, 1) },
      },
    },
  ],
  ['cursor=abc', { cursor: 'abc', limit: null, ignored: [] }],
  ['cursor=abc&limit=7', { cursor: 'abc', limit: 7, ignored: [] }],
  [
    'cursor=abc&severity=rubbish&discoveredFrom=rubbish&sort=rubbish&sort=other',
    { cursor: 'abc', limit: null, ignored: ['severity', 'discoveredFrom', 'sort'] },
  ],
])('"%s" is accepted', (query, input) => {
  expect(logs(query)).toEqual(input);
});

test.each([
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=1e3', 'limit'],
  ['limit=0x10', 'limit'],
  ['limit=5%20', 'limit'],
  ['limit=%D9%A5', 'limit'],
  ['limit=99999999999999999999', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['cursor=abc&limit=0', 'limit'],
  ['cursor=a&cursor=b', 'cursor'],
  ['limit[]=1', 'limit[]'],
  ['limit[a]=1', 'limit[a]'],
  ['Limit=1', 'Limit'],
  ['__proto__=1', '__proto__'],
  ['constructor=1', 'constructor'],
  ['hasOwnProperty=', 'hasOwnProperty'],
  ['cursor=abc&nonsense=1', 'nonsense'],
  ['from=2026-01-01', 'from'],
  ['severity=sideways', 'severity'],
  ['severity=high,sideways', 'severity'],
  ['severity=HIGH', 'severity'],
  ['sort=sideways', 'sort'],
  ['sort=discoveredAtAsc&sort=discoveredAtDesc', 'sort'],
  ['isManagedDevice=maybe', 'isManagedDevice'],
  ['isManagedDevice=true,false', 'isManagedDevice'],
  ['discoveredFrom=rubbish', 'discoveredFrom'],
  ['discoveredFrom=2026-01-02T00:00:00.001Z&discoveredTo=2026-01-02', 'discoveredFrom'],
  ['occurredFrom=2026-01-03&occurredTo=2026-01-02', 'occurredFrom'],
  ['action=a%00b', 'action'],
  [`action=${Array.from({ length: 51 }, (_, n) => n).join()}`, 'action'],
  [`severity=${'high,'.repeat(40)}${' '.repeat(1_000)}`, 'severity'],
  [`action=${'x'.repeat(1_025)}`, 'action'],
  ['view=cef', 'view'],
])('"%.60s" is rejected, naming %s', (query, parameter) => {
  const error = rejection(() => logs(query));
  expect(error.code).toBe('INVALID_PARAMETER');
  expect(error.details?.[0]?.parameter).toBe(parameter);
});

test('every refused parameter is named at once, with what is allowed and an example', () => {
  expect(rejection(() => logs('limit=0&severity=sideways')).details).toEqual([
    { parameter: 'limit', reason: 'is not a whole number from 1 to 1000', allowed: ['1 to 1000'], example: '200' },
    {
      parameter: 'severity',
      reason: 'has a value that is not allowed',
      allowed: ['informational', 'low', 'medium', 'high', 'critical'],
      example: 'high,critical',
    },
  ]);
});

test('a view other than that of the reference is part of the request', () => {
  expect(logs('view=ocsf')).toEqual({ ...start, view: 'ocsf' });
  for (const query of ['view=full', 'view=', '']) expect(logs(query)).toEqual(start);
});

test('fifty values of three hundred characters pass', () => {
  const values = Array.from({ length: 50 }, (_, n) => String(n).padStart(300, 'x'));
  expect(logs(`resourceId=${values.join()}`)).toEqual({ ...start, filters: { resourceId: values } });
});

test('the longest value has as many code points as the schema states', () => {
  const longest = '\u{1f600}'.repeat(1_024);
  expect(logs(`action=${longest}`)).toEqual({ ...start, filters: { action: [longest] } });
  expect(rejection(() => logs(`action=${longest}x`)).details?.map(({ parameter }) => parameter)).toEqual(['action']);
});

test('filters that together are longer than a cursor could carry are refused', () => {
  const text = Array.from({ length: 16 }, () => 'x'.repeat(1_000))
    .map((one, n) => one + n)
    .join();
  expect(logs(`actorId=${text}&resourceId=${text}`)).toMatchObject({ limit: 50 });
  expect(rejection(() => logs(`actorId=${text}&resourceId=${text}&deviceId=${text}`)).code).toBe('INVALID_PARAMETER');
});

test('text that cannot be decoded is refused unless a cursor replaces its parameter', () => {
  const given: RawParameter[] = [['action', null]];
  expect(rejection(() => parseInput(listLogs, given)).details?.[0]?.parameter).toBe('action');
  expect(parseInput(listLogs, [...given, ['cursor', 'abc']])).toMatchObject({ cursor: 'abc', limit: null });
  expect(rejection(() => parseInput(listLogs, [['cursor', null]])).code).toBe('INVALID_CURSOR');
  expect(rejection(() => parseInput(listLogs, [['cursor', 'a\0']])).code).toBe('INVALID_CURSOR');
  expect(rejection(() => parseInput(listLogs, [['actorId', '\ud800']])).code).toBe('INVALID_PARAMETER');
});

test('an operation without parameters rejects every parameter', () => {
  expect(parseInput(pingKey, [])).toEqual({});
  expect(rejection(() => parseInput(pingKey, [['tenantId', 'x']])).details?.[0]).toEqual({
    parameter: 'tenantId',
    reason: 'is not a parameter of this endpoint',
    allowed: [],
  });
});

test('any text is either parsed or rejected with a printable message', { tags: 'exhaustive' }, () => {
  const names = fc.oneof(fc.constantFrom(...Object.keys(listLogs.parameters)), fc.string());
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null)))), (given) => {
      try {
        parseInput(listLogs, given);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        expect((error as ApiError).message).toMatch(/^[\x20-\x7e]{20,300}$/);
      }
    }),
  );
});

test('every example of every operation is a valid request', () => {
  for (const operation of operations)
    for (const { input } of operation.examples) {
      const given = Object.entries(input as Record<string, string>);
      expect(() => parseInput(operation, given, 'an id')).not.toThrow();
    }
  for (const [name, parameter] of Object.entries(listLogs.parameters))
    expect(() => parseInput(listLogs, [[name, parameter.example]]), name).not.toThrow();
});

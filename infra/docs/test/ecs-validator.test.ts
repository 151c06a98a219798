import { expect, test } from 'vitest';
import { findFieldViolations } from './ecs-validator.ts';

const valid = {
  '@timestamp': '2026-11-20T08:00:00.000Z',
  ecs: { version: '9.4.0' },
  event: { kind: 'event', category: ['file'], type: ['access'], severity: 1, risk_score: 1.5 },
  source: { ip: '203.0.113.7', geo: { location: { lat: 50.7, lon: 7.1 } } },
  tenantscope: { anything: [null] },
};

test('a valid document has no violations', () => {
  expect(findFieldViolations(valid)).toEqual([]);
});

test.each([
  [{ actor: { id: 'u-1' } }, 'actor.id is no field'],
  [{ user: 'u-1' }, 'user is no field'],
  [{ user: { id: ['u-1'] } }, 'user.id must not be a list'],
  [{ related: { user: 'u-1' } }, 'related.user must be a list'],
  [{ source: { ip: 'unknown' } }, 'source.ip is not of type ip: "unknown"'],
  [{ source: { geo: { location: { lat: 91, lon: 0 } } } }, /^source.geo.location is not of type geo_point/],
  [{ '@timestamp': 'yesterday' }, '@timestamp is not of type date: "yesterday"'],
  [{ event: { severity: 1.5 } }, 'event.severity is not of type long: 1.5'],
  [{ event: { kind: 'fact' } }, 'event.kind does not allow fact'],
  [{ event: { category: ['file'], type: ['group'] } }, 'file has no type group'],
])('%o is a violation', (change, violation) => {
  const reported = findFieldViolations({ ...valid, ...change } as never);
  expect(reported).toEqual([violation instanceof RegExp ? expect.stringMatching(violation) : violation]);
});

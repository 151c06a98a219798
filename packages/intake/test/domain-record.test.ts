import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { feedTopics, payloads, published, readFeed, readOne, readState, recordKinds } from './domain-message.ts';
import { context, tenantId } from './message.ts';

const detection = payloads.detection;
const other = '11111111-2222-4333-8444-555555555555';

describe('a state', () => {
  test.each(feedTopics)('of a record %s is read', (topic) => {
    const state = readState(topic, payloads[topic]);
    expect(state).toMatchObject({ tenantId, id: payloads[topic].id, version: payloads[topic].version ?? 1 });
    expect(state.digest).toHaveLength(32);
  });

  test('is read with its kind in camel case, its area before the kind and an over-encoded id', () => {
    const message = published('policy-scan', payloads.policyScan);
    const key = Buffer.from(`${tenantId.toUpperCase()}/policyScan/d%5F9f2`);
    const headers = { ...message.headers, ce_type: 'tenantscope.policyScan.upserted.v1' };
    expect(readOne('policyScan', { ...message, key, headers }).kind).toBe('state');
    const ce_type = 'tenantscope.agent-evidence.agentLifecycle.upserted.v1';
    const event = { id: 'e1', tenantId, agentId: 'a1', occurredAt: '2026-11-20T08:00:00Z', event: 'publish' };
    const evidence = published('agentLifecycle', event, { headers: { ...message.headers, ce_type } });
    expect(readOne('agentEvidence', evidence)).toMatchObject({ kind: 'state', table: 'agent_evidence' });
  });

  test('is read in structured mode', () => {
    const event = {
      specversion: '1.0',
      type: 'tenantscope.detection.upserted.v1',
      tenantid: tenantId,
      data: detection,
    };
    const headers = { 'content-type': 'application/cloudevents+json' };
    const value = Buffer.from(JSON.stringify(event));
    expect(readOne('detection', published('detection', detection, { headers, value }))).toMatchObject({
      kind: 'state',
      state: { digest: readState('detection', detection).digest },
    });
  });

  test('is read with the ids of any provider', () => {
    for (const id of ['contoso.example,a1,b2', 'b!AbC', 'google:7', 'x'.repeat(300)])
      expect(readState('detection', { ...detection, id }).id).toBe(id);
  });

  test('is read with unknown members, which are part of its content', () => {
    const more = readState('detection', { ...detection, rejected: 'x', more: { rejected: 1 } });
    expect(more.members).toBe(readState('detection', detection).members);
    expect(more.digest).not.toEqual(readState('detection', detection).digest);
  });

  test('has the same content whatever the order and spacing of its members', () => {
    const turned = Object.fromEntries(Object.entries(detection).reverse());
    const { digest } = readState('detection', detection);
    expect(readFeed('detection', JSON.stringify(turned, null, 2))).toMatchObject({ kind: 'state', state: { digest } });
  });
});

describe('an invalid message', () => {
  const headersOf = (changes: Record<string, string | undefined>) => ({
    headers: { ...published('detection', detection).headers, ...changes },
  });
  const keyOf = (text: string | null) => ({ key: text === null ? null : Buffer.from(text) });

  test.each([
    ['no key', keyOf(null), 'KEY_MISMATCH'],
    ['the key of another tenant', keyOf(`${other}/detection/d_9f2`), 'KEY_MISMATCH'],
    ['the key of another kind', keyOf(`${tenantId}/action/d_9f2`), 'KEY_MISMATCH'],
    ['the key of another id', keyOf(`${tenantId}/detection/d_9f3`), 'KEY_MISMATCH'],
    ['a key with an invalid encoding', keyOf(`${tenantId}/detection/%E0%A4%A`), 'KEY_MISMATCH'],
    ['a key with an extra part', keyOf(`${tenantId}/detection/d_9f2/`), 'KEY_MISMATCH'],
    ['no tenant', headersOf({ ce_tenantid: undefined }), 'MISSING_TENANT'],
    ['an unknown tenant', headersOf({ ce_tenantid: other }), 'UNKNOWN_TENANT'],
    ['no type', headersOf({ ce_type: undefined }), 'SCHEMA_VIOLATION'],
    ['the type of another topic', headersOf({ ce_type: 'tenantscope.action.upserted.v1' }), 'UNKNOWN_TYPE'],
    ['another area', headersOf({ ce_type: 'tenantscope.entity.detection.upserted.v1' }), 'UNKNOWN_TYPE'],
    ['another verb', headersOf({ ce_type: 'tenantscope.detection.touched.v1' }), 'UNKNOWN_TYPE'],
    [
      'an unsupported major version',
      headersOf({ ce_type: 'tenantscope.detection.upserted.v2' }),
      'UNSUPPORTED_VERSION',
    ],
    ['an unsupported CloudEvents version', headersOf({ ce_specversion: '2.0' }), 'UNSUPPORTED_VERSION'],
    ['a content type that is not JSON', headersOf({ 'content-type': 'text/plain' }), 'SCHEMA_VIOLATION'],
    ['an empty value', { value: Buffer.alloc(0) }, 'EMPTY_PAYLOAD'],
    ['a list', { value: Buffer.from('[]') }, 'SCHEMA_VIOLATION'],
    ['invalid JSON', { value: Buffer.from('{') }, 'INVALID_JSON'],
    ['a registry frame', { value: Buffer.from([0, 0, 0, 0, 1, 123, 125]) }, 'SCHEMA_REGISTRY_FRAMED'],
    ['bytes that are not UTF-8', { value: Buffer.from([0xff, 0xfe]) }, 'NOT_UTF8'],
  ])('is rejected: %s', (_name, changes, reason) => {
    expect(readOne('detection', published('detection', detection, changes))).toMatchObject({
      kind: 'rejected',
      reason,
    });
  });

  test.each([
    ['id', ''],
    ['id', 'a b'],
    ['id', 'a/b'],
    ['id', 'a%2Fb'],
    ['id', 'x'.repeat(301)],
    ['id', 7],
    ['tenantId', undefined],
    ['version', undefined],
    ['version', 0],
    ['version', 1.5],
    ['version', '3'],
    ['version', 2 ** 53],
    ['changedAt', undefined],
    ['changedAt', '2026-11-20T08:00:07.412'],
    ['changedAt', '2026-11-20'],
    ['changedAt', '1999-11-20T08:00:07Z'],
    ['changedAt', '2026-02-30T08:00:07Z'],
    ['changedAt', 1_763_625_607],
  ])('a record with %s %s is rejected, and the detail names the member', (member, value) => {
    for (const topic of ['detection', 'policyScan', 'action'] as const)
      expect(readFeed(topic, { ...payloads[topic], [member]: value })).toMatchObject({
        kind: 'rejected',
        reason: 'SCHEMA_VIOLATION',
        stage: 'validate',
        tenantId,
        detail: expect.stringMatching(new RegExp(`^member ${member}: `)),
      });
  });

  test('a payload with another tenant than its envelope is rejected', () => {
    const outcome = readFeed('detection', { ...detection, tenantId: other });
    expect(outcome).toMatchObject({ kind: 'rejected', reason: 'TENANT_MISMATCH', tenantId, format: 'detection' });
  });

  test('an element other than the only one is rejected', () => {
    const outcome = readOne('detection', published('detection', detection), { onlyElement: 1 });
    expect(outcome).toMatchObject({ kind: 'rejected', reason: 'SCHEMA_VIOLATION', element: 1 });
    expect(readOne('detection', published('detection', detection), { onlyElement: 0 }).kind).toBe('state');
  });

  test('a value above the size limit is rejected', () => {
    const outcome = readOne('detection', published('detection', detection), { maxValueBytes: 100 });
    expect(outcome).toMatchObject({ kind: 'rejected', reason: 'TOO_LARGE' });
  });
});

test('a number has the same meaning in every notation', () => {
  const text = JSON.stringify(detection).replace('"version":3', '"version":3.0').replace(':930,', ':9.30e2,');
  expect(readFeed('detection', text)).toMatchObject({ kind: 'state', state: { version: 3 } });
  const beyond = JSON.stringify(detection).replace('"version":3', '"version":9007199254740993');
  expect(readFeed('detection', beyond)).toMatchObject({ reason: 'SCHEMA_VIOLATION' });
  const endless = JSON.stringify(detection).replace(':930,', ':1e999,');
  expect(readFeed('detection', endless)).toMatchObject({ detail: expect.stringContaining('details.diffPercent') });
});

test('a record of a feed is never deleted', () => {
  const deletion = { id: 'd_9f2', tenantId, version: 4, deletedAt: '2026-11-21T08:00:00Z' };
  for (const topic of feedTopics)
    expect(readOne(topic, published(`${recordKinds[topic]}:deleted`, deletion))).toMatchObject({
      reason: 'SCHEMA_VIOLATION',
    });
});

test('a message without a value identifies its row and nothing else', () => {
  const tombstone = published('policy-scan', payloads.policyScan, { value: null, headers: {} });
  expect(readOne('policyScan', tombstone)).toEqual({
    kind: 'tombstone',
    element: 0,
    table: 'policy_scan',
    tenantId,
    id: 'd_9f2',
  });
  for (const key of [null, Buffer.from('x'), Buffer.from(`${tenantId}/action/d_9f2`)])
    expect(readOne('policyScan', { ...tombstone, key })).toMatchObject({ reason: 'KEY_MISMATCH' });
});

test('every message has one outcome and the reader never throws', { tags: 'exhaustive' }, () => {
  const value = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .constantFrom(...feedTopics)
      .chain((topic) => fc.record(nearly(payloads[topic]), { requiredKeys: [] }))
      .map(bytesOf),
    fc.constant(null),
  );
  const key = fc.option(fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)));
  fc.assert(
    fc.property(fc.constantFrom(...feedTopics), value, key, fc.boolean(), (topic, value, key, hasKey) => {
      const message = published(recordKinds[topic], payloads[topic], { value, ...(hasKey ? {} : { key }) });
      expect(['state', 'rejected', 'tombstone']).toContain(readOne(topic, message).kind);
    }),
    { numRuns: 2_000 },
  );
});

const bytesOf = (payload: unknown) => Buffer.from(JSON.stringify(payload));

/** Each member as it should be, or anything. */
function nearly(right: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(right).map(([name, member]) => [
      name,
      fc.oneof({ weight: 5, arbitrary: fc.constant(member) }, fc.jsonValue()),
    ]),
  );
}

describe('a version is bounded by the clock', () => {
  const { nowMs } = context;
  const latest = (nowMs + 86_400_000) * 1_000;

  test.each(feedTopics)('on the topic of %s', (topic) => {
    expect(readFeed(topic, JSON.stringify({ ...payloads[topic], version: latest }))).not.toHaveProperty('reason');
    expect(readFeed(topic, JSON.stringify({ ...payloads[topic], version: latest + 1 }))).toMatchObject({
      kind: 'rejected',
      reason: 'FUTURE_VERSION',
      stage: 'validate',
      tenantId,
    });
  });

  test.each([
    ['a counter', 7, null],
    ['seconds', Math.floor(nowMs / 1_000), null],
    ['milliseconds', nowMs, null],
    ['microseconds', nowMs * 1_000, null],
    ['microseconds of the year 2100', Date.UTC(2100, 0, 1) * 1_000, 'FUTURE_VERSION'],
    ['the greatest version', 2 ** 53 - 1, 'FUTURE_VERSION'],
    ['nanoseconds', nowMs * 1_000_000, 'SCHEMA_VIOLATION'],
  ])('in whatever unit the producer counts: %s', (_unit, version, reason) => {
    const outcome = readFeed('detection', JSON.stringify({ ...detection, version }));
    expect(outcome.kind === 'rejected' ? outcome.reason : null).toBe(reason);
  });
});

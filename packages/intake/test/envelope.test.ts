import {
  activityFormats,
  deadLetterReasons,
  type Message,
  readActivity,
  toEventType,
  wholeMessage,
} from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { azureTenantId, context, ends, management, message, read, readRow, tenantId } from './message.ts';

const format = 'o365.management-activity';
const type = toEventType(format);
const plain = message(format, management());

function outcomeWith(headers: Message['headers'], changes: Partial<Message> = {}) {
  return readActivity({ ...plain, headers: { ...plain.headers, ...headers }, ...changes }, context);
}

function structured(event: Record<string, unknown>, contentType = 'application/cloudevents+json'): Message {
  const value = Buffer.from(JSON.stringify({ specversion: '1.0', type, tenantid: tenantId, ...event }));
  return { key: null, value, headers: { 'content-type': contentType } };
}

test('event types are named after formats, with dots as dashes', () => {
  expect(activityFormats.map(toEventType)).toEqual([
    'tenantscope.raw.o365-management-activity.v1',
    'tenantscope.raw.entra-signin-azuremonitor.v1',
    'tenantscope.raw.entra-audit-azuremonitor.v1',
    'tenantscope.raw.entra-risk-azuremonitor.v1',
    'tenantscope.raw.entra-provisioning-azuremonitor.v1',
    'tenantscope.raw.graph-activity-azuremonitor.v1',
    'tenantscope.raw.azure-activity-azuremonitor.v1',
    'tenantscope.raw.azure-monitor.v1',
    'tenantscope.raw.entra-signin-graph.v1',
    'tenantscope.raw.entra-audit-graph.v1',
    'tenantscope.raw.entra-risk-graph.v1',
    'tenantscope.raw.google-reports-activity.v1',
    'tenantscope.raw.okta-system-log.v1',
    'tenantscope.raw.m365d-advanced-hunting.v1',
    'tenantscope.raw.exchange-message-trace.v1',
    'tenantscope.raw.graph-aiInteraction.v1',
  ]);
});

describe('the content type', () => {
  test.each([
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/vnd.x+json',
  ])('%s is accepted as JSON', (contentType) => {
    expect(ends(outcomeWith({ 'content-type': contentType }))).toEqual(['log']);
  });
  test.each(['application/avro', 'text/plain', 'application/octet-stream', 'application/cloudevents+avro', ''])(
    '%s is rejected',
    (contentType) => {
      expect(ends(outcomeWith({ 'content-type': contentType }))).toEqual(['SCHEMA_VIOLATION']);
    },
  );
});

describe('headers', () => {
  test('are read from buffers, from arrays of equal values and case-insensitively', () => {
    const headers = {
      CE_TYPE: Buffer.from(type),
      Ce_TenantId: [tenantId, Buffer.from(tenantId)],
      'Content-Type': 'application/json',
    };
    expect(ends(readActivity({ ...plain, headers }, context))).toEqual(['log']);
  });
  test('that contradict each other are rejected', () => {
    expect(ends(outcomeWith({ ce_tenantid: [tenantId, azureTenantId] }))).toEqual(['SCHEMA_VIOLATION']);
    expect(ends(outcomeWith({ CE_TENANTID: azureTenantId }))).toEqual(['SCHEMA_VIOLATION']);
  });
  test('are optional except the type and the tenant', () => {
    expect(ends(readActivity({ ...plain, headers: { ce_type: type, ce_tenantid: tenantId } }, context))).toEqual([
      'log',
    ]);
  });
});

describe('the attributes', () => {
  test.each([
    ['another CloudEvents version', { ce_specversion: '0.3' }, 'UNSUPPORTED_VERSION'],
    ['no type', { ce_type: undefined }, 'SCHEMA_VIOLATION'],
    ['a type without a declared format', { ce_type: 'tenantscope.raw.graph-user.v1' }, 'UNKNOWN_TYPE'],
    ['a type of another producer', { ce_type: 'com.example.thing' }, 'UNKNOWN_TYPE'],
    ['a later version of a known format', { ce_type: 'tenantscope.raw.okta-system-log.v2' }, 'UNSUPPORTED_VERSION'],
    ['no tenant', { ce_tenantid: undefined }, 'MISSING_TENANT'],
    ['an empty tenant', { ce_tenantid: '' }, 'MISSING_TENANT'],
    ['an unknown tenant', { ce_tenantid: azureTenantId }, 'UNKNOWN_TENANT'],
    ['a tenant that is not a GUID', { ce_tenantid: '__proto__' }, 'UNKNOWN_TENANT'],
  ])('are invalid with %s', (_name, headers, reason) => {
    expect(ends(outcomeWith(headers))).toEqual([reason]);
  });
  test('the tenant is read in upper case too', () => {
    const [outcome] = outcomeWith({ ce_tenantid: tenantId.toUpperCase() });
    expect(outcome).toMatchObject({ kind: 'log', row: { tenantId } });
  });
  test('a rejection has the tenant and the format that the envelope names', () => {
    expect(outcomeWith({ ce_type: 'x' })).toMatchObject([
      { tenantId, format: null, stage: 'validate', element: wholeMessage },
    ]);
    expect(outcomeWith({ ce_tenantid: azureTenantId.toUpperCase() })).toMatchObject([
      { tenantId: azureTenantId, format },
    ]);
    expect(outcomeWith({ ce_tenantid: 'x' })).toMatchObject([{ tenantId: null, format }]);
  });
});

describe('the key', () => {
  test.each([tenantId, tenantId.toUpperCase(), `${tenantId}#0`, `${tenantId}#17`])(
    "%s is accepted as this tenant's key",
    (key) => {
      expect(ends(readActivity({ ...plain, key: Buffer.from(key) }, context))).toEqual(['log']);
    },
  );
  test.each(['', azureTenantId, `${tenantId}#`, `${tenantId}#x`, `${tenantId}/1`, `${tenantId} `])(
    '%s is rejected as a key of this tenant',
    (key) => {
      expect(ends(readActivity({ ...plain, key: Buffer.from(key) }, context))).toEqual(['KEY_MISMATCH']);
    },
  );
});

describe('the value', () => {
  test.each([
    ['a tombstone', null, 'EMPTY_PAYLOAD'],
    ['nothing', Buffer.alloc(0), 'EMPTY_PAYLOAD'],
    ['white space', Buffer.from(' \r\n'), 'EMPTY_PAYLOAD'],
    ['an empty array', Buffer.from('[]'), 'EMPTY_PAYLOAD'],
    ['an empty page', Buffer.from('{"value":[]}'), 'EMPTY_PAYLOAD'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'NOT_UTF8'],
    ['a surrogate encoded as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'NOT_UTF8'],
    ['a truncated record', Buffer.from('{"Operation":'), 'INVALID_JSON'],
    ['NaN', Buffer.from('{"a":NaN}'), 'INVALID_JSON'],
    ['a schema registry frame', Buffer.from([0, 0, 0, 0, 1, 0x7b, 0x7d]), 'SCHEMA_REGISTRY_FRAMED'],
    ['a text', Buffer.from('"x"'), 'SCHEMA_VIOLATION'],
    ['null', Buffer.from('null'), 'SCHEMA_VIOLATION'],
    ['a number', Buffer.from('1e999'), 'SCHEMA_VIOLATION'],
  ])('is rejected: %s', (_name, value, reason) => {
    expect(ends(readActivity({ ...plain, value }, context))).toEqual([reason]);
  });

  test('can begin with a byte order mark', () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain.value as Buffer]);
    expect(readRow(format, marked).id).toBe(readRow(format, management()).id);
  });

  test('is rejected above the size limit, not at the limit', () => {
    const size = (plain.value as Buffer).length;
    expect(ends(readActivity(plain, { ...context, maxValueBytes: size }))).toEqual(['log']);
    expect(ends(readActivity(plain, { ...context, maxValueBytes: size - 1 }))).toEqual(['TOO_LARGE']);
  });

  test('with ten thousand and one records is rejected as a whole', { tags: 'exhaustive' }, () => {
    expect(ends(read(format, `[${new Array(10_001).fill('{}').join(',')}]`))).toEqual(['TOO_LARGE']);
    expect(read(format, `[${new Array(10_000).fill('{}').join(',')}]`)).toHaveLength(10_000);
  });

  test('is never quoted in a detail, and neither is an attribute', () => {
    const secret = 'hunter2';
    const outcomes = [
      ...outcomeWith({ ce_type: secret }),
      ...outcomeWith({ ce_tenantid: secret }),
      ...outcomeWith({}, { key: Buffer.from(secret) }),
      ...outcomeWith({ 'content-type': secret }),
      ...outcomeWith({ 'content-type': [secret, 'x'] }),
      ...read(format, `{"Operation": ${secret}}`),
      ...read(format, management({ CreationTime: secret })),
      ...read(format, management({ AuditData: `{${secret}` })),
      ...read(format, management({ OrganizationId: '99999999-9999-4999-8999-999999999999' })),
    ];
    expect(ends(outcomes)).not.toContain('log');
    for (const outcome of outcomes) {
      const detail = outcome.kind === 'rejected' ? outcome.detail : '';
      expect(detail.length).toBeGreaterThan(0);
      expect(detail.length).toBeLessThanOrEqual(512);
      expect(detail).not.toContain(secret);
      expect(detail).not.toContain('99999999');
    }
  });
});

describe('structured mode', () => {
  test('gives the same row as binary mode, by data and by data_base64', () => {
    const { id } = readRow(format, management());
    const base64 = Buffer.from(JSON.stringify(management())).toString('base64');
    for (const event of [{ data: management() }, { data_base64: base64 }, { data: [management()] }]) {
      for (const contentType of ['application/cloudevents+json', 'Application/CloudEvents+JSON; charset=UTF-8']) {
        const [outcome] = readActivity(structured(event, contentType), context);
        expect(outcome).toMatchObject({ kind: 'log', row: { id } });
      }
    }
  });
  test.each([
    ['no data', {}, 'EMPTY_PAYLOAD'],
    ['null data', { data: null }, 'EMPTY_PAYLOAD'],
    ['both kinds of data', { data: {}, data_base64: 'e30=' }, 'SCHEMA_VIOLATION'],
    ['invalid data_base64', { data_base64: '{}' }, 'SCHEMA_VIOLATION'],
    ['data that is not JSON', { data: 'x', datacontenttype: 'text/plain' }, 'SCHEMA_VIOLATION'],
    ['another version', { specversion: '0.3', data: management() }, 'UNSUPPORTED_VERSION'],
    ['a tenant that is not a string', { tenantid: 7, data: management() }, 'MISSING_TENANT'],
  ])('is rejected with %s', (_name, event, reason) => {
    expect(ends(readActivity(structured(event), context))).toEqual([reason]);
  });
  test.each(['application/cloudevents', 'application/cloudevents-batch+json'])('%s is rejected', (contentType) => {
    expect(ends(readActivity(structured({ data: management() }, contentType), context))).toEqual(['SCHEMA_VIOLATION']);
  });
});

describe('the check of the Microsoft tenant', () => {
  const other = '99999999-9999-4999-8999-999999999999';
  const frame = {
    time: '2026-11-20T08:15:30Z',
    category: 'SignInLogs',
    operationName: 'Sign-in activity',
    properties: {},
  };
  test('rejects a record of another Microsoft tenant', () => {
    expect(ends(read(format, management({ OrganizationId: other })))).toEqual(['TENANT_MISMATCH']);
    expect(ends(read('entra.signin.azuremonitor', { ...frame, tenantId: other }))).toEqual(['TENANT_MISMATCH']);
  });
  test('is case-insensitive and ignores a text that is not a GUID', () => {
    expect(ends(read(format, management({ OrganizationId: azureTenantId.toUpperCase() })))).toEqual(['log']);
    expect(ends(read(format, management({ OrganizationId: 'contoso' })))).toEqual(['log']);
    expect(ends(read(format, management({ OrganizationId: undefined })))).toEqual(['log']);
    expect(ends(read('entra.signin.azuremonitor', { ...frame, tenantId: azureTenantId.toUpperCase() }))).toEqual([
      'log',
    ]);
  });
  test("accepts a guest's home tenant", () => {
    expect(ends(read(format, management({ ActorContextId: other })))).toEqual(['log']);
  });
  test('is skipped for a tenant without a Microsoft tenant', () => {
    const outcomes = read(format, management({ OrganizationId: other }), {
      findTenant: () => ({ azureTenantId: null }),
    });
    expect(ends(outcomes)).toEqual(['log']);
  });
});

describe('an array', () => {
  const payload = [management(), 7, management({ Operation: '' }), management({ Id: 'second' })];
  test('loses only its invalid elements', () => {
    const outcomes = read(format, payload);
    expect(ends(outcomes)).toEqual(['log', 'SCHEMA_VIOLATION', 'MISSING_ACTION', 'log']);
    expect(outcomes.map(({ element }) => element)).toEqual([0, 1, 2, 3]);
  });
  test('is read for one element alone when a dead letter is replayed', () => {
    expect(read(format, payload, { onlyElement: 2 })).toMatchObject([{ reason: 'MISSING_ACTION', element: 2 }]);
    expect(read(format, payload, { onlyElement: 3 })).toEqual(read(format, payload).slice(3));
    expect(read(format, payload, { onlyElement: 4 })).toMatchObject([{ reason: 'SCHEMA_VIOLATION', element: 4 }]);
    expect(read(format, '[', { onlyElement: 3 })).toMatchObject([{ reason: 'INVALID_JSON', element: 3 }]);
  });
});

test('the reasons of dead letters are a closed list', () => {
  expect(deadLetterReasons).toEqual([
    'EMPTY_PAYLOAD',
    'NOT_UTF8',
    'INVALID_JSON',
    'SCHEMA_REGISTRY_FRAMED',
    'TOO_LARGE',
    'SKIPPED',
    'UNDECODABLE_BATCH',
    'UNKNOWN_TYPE',
    'UNSUPPORTED_VERSION',
    'SCHEMA_VIOLATION',
    'MISSING_TENANT',
    'UNKNOWN_TENANT',
    'TENANT_MISMATCH',
    'TENANT_CLOSED',
    'OTHER_CELL',
    'KEY_MISMATCH',
    'FUTURE_VERSION',
    'MISSING_ACTION',
    'MISSING_TIMESTAMP',
    'INVALID_TIMESTAMP',
    'FUTURE_TIMESTAMP',
    'VERSION_CONFLICT',
    'ORGANIZATION_CHANGE',
    'PROJECTION_REJECTED',
  ]);
});

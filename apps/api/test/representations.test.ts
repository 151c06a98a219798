// @module-tag exhaustive
import { buildStatusDocument } from '@tenantscope/compliance';
import { bareFacts } from '@tenantscope/compliance/test/facts';
import { type ComplianceException, findingsPath, operations, representations } from '@tenantscope/contract';
import { makeSecret } from '@tenantscope/store/api-key';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { convertBody } from '../src/documents/representations.ts';
import { startTestApp, testKey } from './test-app.ts';

const status = buildStatusDocument({ ...bareFacts, selections: [], baseline: null });
const finding = {
  subjectType: 'user',
  subjectId: 'u1',
  subjectName: 'Żółć',
  state: 'failing',
  reason: 'x',
  since: null,
  count: 1,
  detail: {},
  exception: null,
};

const exception: ComplianceException = {
  id: 'e1',
  requirementKey: 'iam.mfa.members',
  state: 'in_force',
  subjectIds: null,
  query: { subjectType: null, subjectName: 'svc-*', detail: null },
  reason: 'x',
  approvedBy: 'y',
  validFrom: '2026-11-01T00:00:00.000Z',
  validUntil: '2026-12-01T00:00:00.000Z',
  evidenceRefs: [],
  recordedBy: 'cli:maria',
  recordedAt: '2026-11-01T00:00:00.000Z',
  withdrawnAt: null,
  withdrawnBy: null,
  withdrawalReason: null,
  findingsUrl: null,
};

let app: Awaited<ReturnType<typeof startTestApp>>;
beforeAll(async () => {
  app = await startTestApp({
    lookUp: async () => ({ ...testKey, scopes: ['evidence:read'] }),
    handlers: {
      get_compliance_status: async () => ({ body: Buffer.from(JSON.stringify({ data: status })) }),
      list_compliance_findings: async () => ({
        body: JSON.stringify({ data: [finding], pagination: {} }),
        nextCursor: 'next',
      }),
      list_compliance_snapshots: async () => ({ body: '{"data":[],"pagination":{}}' }),
    },
  });
});
afterAll(() => app[Symbol.asyncDispose]());

async function read(path: string, accept?: string) {
  const response = await fetch(`http://127.0.0.1:${app.port}/api/v1${path}`, {
    headers: { authorization: `Bearer ${makeSecret()}`, ...(accept === undefined ? {} : { accept }) },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    text: await response.text(),
  };
}

test('a status is sent in the form that the client prefers', async () => {
  const csv = await read('/compliance/status', 'text/csv');
  expect([csv.status, csv.type, csv.headers.get('vary')]).toEqual([
    200,
    'text/csv; charset=utf-8',
    'Accept, Accept-Encoding',
  ]);
  expect(csv.text.split('\r\n')).toHaveLength(status.requirements.length + 2);
  const oscal = await read('/compliance/status', 'application/oscal+json');
  expect(oscal.type).toBe('application/oscal+json; charset=utf-8');
  expect(JSON.parse(oscal.text)['assessment-results'].results).toHaveLength(1);
  for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/csv']) {
    const json = await read('/compliance/status', accept);
    expect([json.type, JSON.parse(json.text).data]).toEqual(['application/json; charset=utf-8', status]);
  }
});

test('the next page of a CSV list is in its Link header', async () => {
  const { text, headers } = await read(findingsPath('iam.mfa.members'), 'text/csv');
  expect(text.split('\r\n')[1]).toBe('user,u1,Żółć,failing,x,,1,,,,,');
  expect(headers.get('link')).toContain('cursor=next>; rel="next"');
});

test('a media type that an operation does not declare is refused, and the refusal is JSON', async () => {
  for (const [path, accept] of [
    [findingsPath('iam.mfa.members'), 'application/oscal+json'],
    ['/compliance/snapshots', 'text/csv'],
    ['/compliance/status', 'text/html'],
  ] as const) {
    const refused = await read(path, accept);
    expect([refused.status, refused.type]).toEqual([406, 'application/json; charset=utf-8']);
    expect(JSON.parse(refused.text).error.code).toBe('NOT_ACCEPTABLE');
  }
});

test('every declared form has a writer', () => {
  const data = {
    get_compliance_status: status,
    list_compliance_findings: [finding],
    list_compliance_exceptions: [exception],
  };
  for (const operation of operations)
    for (const form of ('representations' in operation ? operation.representations : undefined) ?? [])
      expect(
        convertBody(
          operation.name,
          representations[form].mediaType,
          JSON.stringify({ data: data[operation.name as keyof typeof data] }),
        ),
      ).not.toBe('');
});

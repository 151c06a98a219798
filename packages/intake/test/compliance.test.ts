import { describe, expect, test } from 'vitest';
import { published, readOne } from './domain-message.ts';
import { context, tenantId } from './message.ts';

const at = '2026-11-20T08:00:00Z';
const head = { id: 'c1', tenantId, version: Date.parse(at) * 1_000, changedAt: at };
const agent = { type: 'agent', id: 'a1' };
const records = {
  attestation: {
    ...head,
    requirementKey: 'ai.literacy.training_done',
    subject: null,
    verdict: 'partial',
    justification: 'Half of the staff are trained.',
    attestedBy: 'Mara Lindqvist',
    attestedAt: at,
    validUntil: '2027-11-20T08:00:00Z',
    evidenceRefs: ['training/2026'],
  },
  exception: {
    ...head,
    requirementKey: 'iam.mfa.members',
    subjectIds: ['u1', 'u2'],
    reason: 'Accounts of meeting rooms',
    approvedBy: 'Mara Lindqvist',
    validFrom: at,
    validUntil: '2027-11-20T08:00:00Z',
    evidenceRefs: [{ uri: 'urn:ticket:8' }],
  },
  frameworkSelection: { ...head, framework: 'iso_27001', selected: true },
  tenantFact: { ...head, key: 'essentialEntity', value: false },
  decision: { ...head, subject: agent, outcome: 'approved', by: 'Mara Lindqvist', at, dataCategories: ['contracts'] },
  awareness: { ...head, subject: agent, awareAt: at, statedBy: 'Mara Lindqvist' },
  riskClass: { ...head, subject: agent, class: 'high' },
  sourceStatus: { ...head, source: 'user_risk', enabled: true, licensed: false, gaps: [{ from: at, to: at }] },
  policy: { ...head, name: 'No anonymous links', enabled: true, severity: 'high', subjectType: 'file' },
  detector: { ...head, name: 'Unusual downloads', enabled: true, entityTypes: ['user'], lastRunAt: at },
  securityScore: {
    ...head,
    createdDateTime: at,
    currentScore: 211.43,
    maxScore: 405,
    controlScores: [{ controlName: 'MFARegistrationV2', controlCategory: 'Identity', score: 9 }],
    controlProfiles: [{ id: 'MFARegistrationV2', title: 'Second factor for all', maxScore: 9, rank: 1 }],
  },
};
type Kind = keyof typeof records;
const kinds = Object.keys(records) as Kind[];

describe('every member of a record', () => {
  test.each(kinds)('is stored: %s', (kind) => {
    const payload: Record<string, unknown> = records[kind];
    expect(readOne('compliance', published(kind, payload))).toMatchObject({
      kind: 'state',
      table: 'compliance_record',
      state: {
        id: `${kind}/c1`,
        version: head.version,
        columns: {
          kind,
          record_id: 'c1',
          subject_type: payload.subject ? 'agent' : null,
          subject_id: payload.subject ? 'a1' : null,
          requirement_key: payload.requirementKey ?? null,
        },
        times: { changed_at: Date.parse(at) },
        members: `"kind":"${kind}","recordId":"c1","payload":${JSON.stringify(payload)}`,
      },
    });
  });
});

test("the digits of a score are the vendor's", () => {
  const text = JSON.stringify({ ...records.securityScore, currentScore: 0 }).replace(
    '"currentScore":0',
    '"currentScore":211.40,"averageComparativeScores":[{"basis":"AllTenants","averageScore":30.10}]',
  );
  expect(readOne('compliance', published('securityScore', text))).toMatchObject({
    state: { members: expect.stringMatching(/"currentScore":211\.40,.*"averageScore":30\.10/) },
  });
});

test('invisible characters in a text become visible', () => {
  const hidden = { ...records.decision, purpose: 'Sum\u202emary\u0000' };
  expect(readOne('compliance', published('decision', hidden))).toMatchObject({
    state: { members: expect.stringContaining('"purpose":"Sum\\\\u{202E}mary\\\\u{0}"') },
  });
});

test.each([
  ['attestation', 'requirementKey', 'Everything is fine'],
  ['attestation', 'requirementKey', undefined],
  ['attestation', 'verdict', 'maybe'],
  ['attestation', 'attestedBy', ''],
  ['attestation', 'attestedAt', '2026-11-20T08:00:00'],
  ['attestation', 'validUntil', '2026-11-19T08:00:00Z'],
  ['attestation', 'version', 2 ** 53],
  ['exception', 'requirementKey', undefined],
  ['exception', 'subjectIds', []],
  ['exception', 'subjectIds', null],
  ['exception', 'subjectIds', ['']],
  ['exception', 'subjectIds', Array.from({ length: 1_001 }, (_, index) => `u${index}`)],
  ['exception', 'reason', ' '],
  ['exception', 'approvedBy', ''],
  ['exception', 'validFrom', undefined],
  ['exception', 'validUntil', undefined],
  ['exception', 'validUntil', null],
  ['exception', 'validUntil', at],
  ['exception', 'validUntil', '2027-11-20T08:00:00.001Z'],
  ['frameworkSelection', 'framework', 'ISO 27001'],
  ['frameworkSelection', 'selected', 'yes'],
  ['tenantFact', 'key', 'favouriteColour'],
  ['tenantFact', 'value', 1],
  ['decision', 'outcome', 'ignored'],
  ['decision', 'subject', null],
  ['decision', 'at', null],
  ['riskClass', 'class', 'huge'],
  ['sourceStatus', 'enabled', undefined],
  ['sourceStatus', 'gaps', [{ from: at, to: '2026-11-19T08:00:00Z' }]],
  ['policy', 'severity', 'grave'],
  ['detector', 'lastRunAt', 'yesterday'],
  ['securityScore', 'maxScore', '405'],
  ['securityScore', 'maxScore', 2 ** 53],
  ['securityScore', 'currentScore', 1e300],
] as const)('a record %s with an invalid %s is rejected', (kind, member, value) => {
  expect(readOne('compliance', published(kind, { ...records[kind], [member]: value }))).toMatchObject({
    kind: 'rejected',
    reason: 'SCHEMA_VIOLATION',
    detail: expect.stringContaining(`member ${member}`),
  });
});

test('a not_applicable attestation requires a justification', () => {
  const attested = { ...records.attestation, verdict: 'not_applicable' };
  expect(readOne('compliance', published('attestation', attested))).toMatchObject({ kind: 'state' });
  for (const justification of [undefined, null, ' '])
    expect(readOne('compliance', published('attestation', { ...attested, justification }))).toMatchObject({
      kind: 'rejected',
      detail: expect.stringContaining('member justification'),
    });
});

test.each([[{ subjectName: 'room-*' }], [{ subjectType: 'user', detail: { path: '*/archive/*' } }]] as const)(
  'an exception of the query %j is accepted instead of ids',
  (query) => {
    const excepted = { ...records.exception, subjectIds: null };
    expect(readOne('compliance', published('exception', { ...excepted, query }))).toMatchObject({ kind: 'state' });
    // Which of the two would count is not guessed.
    expect(readOne('compliance', published('exception', { ...records.exception, query }))).toMatchObject({
      kind: 'rejected',
      detail: expect.stringContaining('member subjectIds: expected either'),
    });
  },
);

test.each([
  [{}],
  [{ subjectType: 'user' }],
  [{ subjectName: '*' }],
  [{ subjectName: '' }],
  [{ subjectName: '-*-' }],
  [{ detail: {} }],
  [{ detail: { path: '*' } }],
  [{ detail: { "a') or true --": 'x' } }],
  [{ subjectName: 'room', state: 'failing' }],
  ['room-*'],
])('an exception of the query %j is rejected', (query) => {
  const excepted = { ...records.exception, subjectIds: null };
  expect(readOne('compliance', published('exception', { ...excepted, query }))).toMatchObject({
    kind: 'rejected',
    reason: 'SCHEMA_VIOLATION',
    detail: expect.stringContaining('member query'),
  });
});

test('a rejection shows invisible characters of the names that it quotes', () => {
  const name = 'pa\u0000th\u202e';
  for (const query of [{ [name]: 'x' }, { detail: { [name]: 'x' } }]) {
    const excepted = { ...records.exception, subjectIds: null, query };
    expect(readOne('compliance', published('exception', excepted))).toMatchObject({
      kind: 'rejected',
      detail: expect.stringContaining('pa\\u{0}th\\u{202E}'),
    });
  }
});

test('a withdrawn exception names who withdraws it', () => {
  const withdrawn = { ...records.exception, withdrawnAt: at };
  expect(readOne('compliance', published('exception', withdrawn))).toMatchObject({
    kind: 'rejected',
    detail: expect.stringContaining('member withdrawnBy'),
  });
});

test('an attestation may be dated at most 48 hours ahead', () => {
  const attested = (aheadMs: number) => ({
    ...records.attestation,
    attestedAt: new Date(context.nowMs + aheadMs).toISOString(),
    validUntil: null,
  });
  const maxAheadMs = 48 * 3_600_000;
  expect(readOne('compliance', published('attestation', attested(maxAheadMs)))).toMatchObject({ kind: 'state' });
  expect(readOne('compliance', published('attestation', attested(maxAheadMs + 1)))).toMatchObject({
    kind: 'rejected',
    reason: 'SCHEMA_VIOLATION',
    detail: expect.stringContaining('member attestedAt: expected a time at most 48 hours ahead'),
  });
});

test.each(kinds)('%s is never deleted', (kind) => {
  const deletion = { id: 'c1', tenantId, version: head.version + 1, deletedAt: at };
  expect(readOne('compliance', published(`${kind}:deleted`, deletion))).toMatchObject({
    kind: 'rejected',
    reason: 'SCHEMA_VIOLATION',
  });
});

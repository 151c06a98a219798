import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { published, readOne } from './domain-message.ts';
import { tenantId } from './message.ts';

const at = '2026-11-20T08:00:00Z';
const stateful = { id: 'e1', tenantId, version: 2, changedAt: at };
const evidence = {
  agentLifecycle: { id: 'e1', tenantId, agentId: 'a1', occurredAt: at, event: 'publish' },
  threatEvent: { id: 'e1', tenantId, agentId: 'a1', occurredAt: at, flag: 'xpia', outcome: 'blocked' },
  instructionChange: { id: 'e1', tenantId, agentId: 'a1', occurredAt: at, currentHash: 'ab' },
  permissionGrant: { ...stateful, agentId: 'a1', value: 'Files.Read.All', source: 'direct', kind: 'application' },
  restriction: { ...stateful, dataType: { id: 't1', name: 'IBAN' }, level: 'noAiAccess', declaredAt: at },
  restrictionEvent: { ...stateful, restrictionId: 'r1', event: 'lift', occurredAt: at },
};
type Kind = keyof typeof evidence;
const kinds = Object.keys(evidence) as Kind[];

describe('every member of a record', () => {
  test.each(kinds)('is stored: %s', (kind) => {
    const payload = evidence[kind];
    const outcome = readOne('agentEvidence', published(kind, payload));
    expect(outcome).toMatchObject({
      kind: 'state',
      table: 'agent_evidence',
      state: {
        id: `${kind}/e1`,
        version: 'version' in payload ? 2 : 1,
        columns: { kind, record_id: 'e1', is_deletion: false, agent_id: 'agentId' in payload ? 'a1' : null },
        times: { happened_at: Date.parse(at) },
        members: `"kind":"${kind}","recordId":"e1","payload":${JSON.stringify(payload)}`,
      },
    });
  });
});

test('a deletion is a row next to the deleted record and has its own version', () => {
  const deletion = { id: 'e1', tenantId, version: 5, deletedAt: at, reason: 'revoked' };
  expect(readOne('agentEvidence', published('permissionGrant:deleted', deletion))).toMatchObject({
    kind: 'state',
    table: 'agent_evidence',
    state: {
      id: 'permissionGrant/e1/deleted',
      version: 5,
      columns: { kind: 'permissionGrant', record_id: 'e1', is_deletion: true },
      members: '"kind":"permissionGrant","recordId":"e1","deletedAt":"2026-11-20T08:00:00.000Z","reason":"revoked"',
    },
  });
  const undated = { ...deletion, deletedAt: undefined };
  expect(readOne('agentEvidence', published('permissionGrant:deleted', undated))).toMatchObject({
    reason: 'SCHEMA_VIOLATION',
    detail: expect.stringContaining('member deletedAt'),
  });
});

test('secrets in instructions are masked before storage, and hashes are those of the original texts', () => {
  const change = {
    ...evidence.instructionChange,
    previousText: 'Say hello.',
    currentText: 'password: hunter2-hunter2',
  };
  const outcome = readOne('agentEvidence', published('instructionChange', change));
  const members = outcome.kind === 'state' ? JSON.parse(`{${outcome.state.members}}`) : null;
  expect(members.payload).toEqual({
    ...change,
    previousHash: createHash('sha256').update('Say hello.').digest('hex'),
    currentText: 'password: [removed]',
    currentHash: 'ab',
  });
});

test('a message without a value names its record', () => {
  const tombstone = published('threatEvent', evidence.threatEvent, { value: null });
  expect(readOne('agentEvidence', tombstone)).toMatchObject({ kind: 'tombstone', id: 'threatEvent/e1' });
});

test.each([
  ['agentLifecycle', 'event', 'retire'],
  ['agentLifecycle', 'agentId', undefined],
  ['threatEvent', 'flag', 'rumour'],
  ['threatEvent', 'outcome', 'maybe'],
  ['threatEvent', 'occurredAt', undefined],
  ['instructionChange', 'occurredAt', 'yesterday'],
  ['permissionGrant', 'version', undefined],
  ['permissionGrant', 'source', 'guessed'],
  ['restriction', 'level', 'none'],
  ['restrictionEvent', 'event', 'forget'],
] as const)('a record %s with an invalid %s is rejected', (kind, member, value) => {
  expect(readOne('agentEvidence', published(kind, { ...evidence[kind], [member]: value }))).toMatchObject({
    kind: 'rejected',
    reason: 'SCHEMA_VIOLATION',
    detail: expect.stringContaining(`member ${member}: `),
  });
});

import { readStatusInSnapshot } from '@tenantscope/compliance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import * as input from './input-records.ts';
import { nowMs } from './outcomes.ts';

const { dayMs } = input;
const requirementKey = 'ai.attest.literacy';

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
}, 60_000);
afterAll(() => facts?.[Symbol.asyncDispose]());

const attested = (id: string, verdict: string, attestedMs: number, more: object = {}): input.InputRecord => ({
  topic: 'compliance',
  type: 'compliance.attestation',
  id,
  members: { requirementKey, verdict, attestedBy: 'chief', attestedAt: input.at(attestedMs), ...more },
});

async function readStatus(tenantId: string, atMs = nowMs) {
  const query = { tenantId, nowMs: atMs, connectedAtMs: nowMs - 200 * dayMs };
  const { requirements } = await facts.read(tenantId, (client) => readStatusInSnapshot(client, query));
  return requirements.find(({ key }) => key === requirementKey);
}

test('an older attestation whose record is sent again does not replace a newer one', async () => {
  const tenantId = newTenantId();
  const older = attested('first', 'compliant', nowMs - 20 * dayMs);
  await facts.ingest(tenantId, nowMs - 20 * dayMs, [older]);
  expect(await readStatus(tenantId)).toMatchObject({ status: 'met' });
  await facts.ingest(tenantId, nowMs - 10 * dayMs, [attested('second', 'non_compliant', nowMs - 10 * dayMs)]);
  expect(await readStatus(tenantId)).toMatchObject({ status: 'not_met' });

  // Its version and its time of change are now the greatest of all.
  await facts.ingest(tenantId, nowMs, [older]);
  expect(await readStatus(tenantId)).toMatchObject({
    status: 'not_met',
    attestation: { verdict: 'non_compliant', attestedAt: input.at(nowMs - 10 * dayMs) },
  });
});

test('of attestations of one time the greater version counts, in every order of arrival', async () => {
  const [first, second] = [
    attested('first', 'compliant', nowMs - dayMs),
    attested('second', 'non_compliant', nowMs - dayMs),
  ];
  const [tenantId, otherId] = [newTenantId(), newTenantId()];
  await facts.ingest(tenantId, nowMs - 2 * input.hourMs, [first]);
  await facts.ingest(tenantId, nowMs - input.hourMs, [second]);
  expect(await readStatus(tenantId)).toMatchObject({ status: 'not_met' });
  await facts.ingest(otherId, nowMs - 2 * input.hourMs, [second]);
  await facts.ingest(otherId, nowMs - input.hourMs, [first]);
  expect(await readStatus(otherId)).toMatchObject({ status: 'met' });
});

test('an attestation whose record is replaced by one dated ahead is in force until that begins', async () => {
  const tenantId = newTenantId();
  const beginMs = nowMs + 20 * input.hourMs;
  await facts.ingest(tenantId, nowMs - 2 * dayMs, [attested('record', 'compliant', nowMs - 20 * dayMs)]);
  await facts.ingest(tenantId, nowMs - dayMs, [attested('record', 'non_compliant', beginMs)]);
  expect(await readStatus(tenantId)).toMatchObject({
    status: 'met',
    attestation: { verdict: 'compliant', attestedAt: input.at(nowMs - 20 * dayMs), history: [] },
  });
  expect(await readStatus(tenantId, beginMs - 1)).toMatchObject({ status: 'met' });
  expect(await readStatus(tenantId, beginMs)).toMatchObject({
    status: 'not_met',
    attestation: { verdict: 'non_compliant', history: [{ verdict: 'compliant' }] },
  });
});

test('an attestation does not return where the one dated ahead that replaced it was withdrawn', async () => {
  const tenantId = newTenantId();
  const planned = (more: object = {}) => attested('record', 'non_compliant', nowMs + input.hourMs, more);
  await facts.ingest(tenantId, nowMs - 2 * dayMs, [attested('record', 'compliant', nowMs - 20 * dayMs)]);
  await facts.ingest(tenantId, nowMs - dayMs, [planned()]);
  await facts.ingest(tenantId, nowMs - input.hourMs, [planned({ withdrawnAt: input.at(nowMs), withdrawnBy: 'chief' })]);
  expect(await readStatus(tenantId, nowMs - 1)).toMatchObject({ status: 'met' });
  expect(await readStatus(tenantId)).toMatchObject({ status: 'not_evaluated', evaluation: 'manual' });
});

test('the end of earlier states is that of the validity, as it was while they were in force', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs - 20 * dayMs, [attested('record', 'partial', nowMs - 20 * dayMs)]);
  const before = await readStatus(tenantId, nowMs - 11 * dayMs);
  await facts.ingest(tenantId, nowMs - 10 * dayMs, [attested('record', 'compliant', nowMs - 10 * dayMs)]);
  const now = await readStatus(tenantId);
  expect(before?.attestation?.validUntil).not.toBeNull();
  expect(now?.attestation?.history).toMatchObject([
    { verdict: 'partial', validUntil: before?.attestation?.validUntil },
  ]);
});

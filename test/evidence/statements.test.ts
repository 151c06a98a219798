import { randomUUID } from 'node:crypto';
import { buildStatusDocument, requirementCatalogue } from '@tenantscope/compliance';
import { bareFacts } from '@tenantscope/compliance/test/facts';
import { verifyPack } from '@tenantscope/proof';
import { afterAll, expect, test } from 'vitest';
import { newTenantId } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { openTestPool } from '../services/pool.ts';
import { findSection, type Pack, readPack, writePackBytes } from './packs.ts';
import { readPages, readSection } from './read-section.ts';
import { openSectionFixture, toMs } from './section-fixture.ts';

const { at, dayMs } = input;
const { facts, window, fromMs } = await openSectionFixture();
const superuser = openTestPool(facts.database.superuser, { max: 1 });
afterAll(() => superuser.end());
const policy = 'ai.attest.policy';
const mfa = 'iam.mfa.members';

async function readRows(key: string, tenantId: string): Promise<readonly Pack[]> {
  return (await readSection(facts, tenantId, key, window)).rows;
}

const attested = (members: Record<string, unknown> = {}) =>
  input.attestation(policy, { attestedAt: at(toMs - 100 * dayMs), ...members });

test('every state of an attestation in the period is listed, with who attests and who wrote it', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, fromMs - 40 * dayMs, [attested({ verdict: 'non_compliant' })]);
  await facts.ingest(tenantId, fromMs - 20 * dayMs, [attested({ verdict: 'partial' })]);
  await facts.ingest(tenantId, fromMs + dayMs, [
    attested({
      justification: 'agreed with ada@contoso.example, PESEL 44051401359',
      evidenceRefs: ['POL-7', { uri: 'https://intranet.example/7', sha256: 'a'.repeat(64), title: 'Policy' }],
      validUntil: at(toMs + 900 * dayMs),
    }),
  ]);
  await facts.ingest(tenantId, toMs + dayMs, [attested({ verdict: 'non_compliant' })]);
  const rows = await readRows('attestation_history', tenantId);
  const validityDays = requirementCatalogue.flatMap((one) =>
    one.key === policy && one.kind === 'attested' ? [one.attestation.defaultValidityDays] : [],
  )[0];
  expect(rows).toMatchObject([
    { verdict: 'partial', state: 'replaced', replacedAt: at(fromMs + dayMs), recordedAt: at(fromMs - 20 * dayMs) },
    {
      requirementKey: policy,
      subject: null,
      verdict: 'compliant',
      state: 'in_force',
      attestedBy: 'chief',
      justification: 'agreed with [mail address removed], PESEL [national id removed]',
      evidenceRefs: [
        { uri: null, sha256: null, title: 'POL-7' },
        { uri: 'https://intranet.example/7', sha256: 'a'.repeat(64), title: 'Policy' },
      ],
      validUntil: at(toMs - 100 * dayMs + (validityDays ?? 0) * dayMs),
      statedValidUntil: at(toMs + 900 * dayMs),
      replacedAt: null,
      withdrawnAt: null,
    },
  ]);
  expect(rows[1].recordedBy).not.toBe('');
});

test('the state of an attestation is that of the end of the period', async () => {
  const stateOf = async (...records: input.InputRecord[]) => {
    const tenantId = newTenantId();
    await facts.ingest(tenantId, toMs, records);
    return (await readRows('attestation_history', tenantId)).map(({ state }) => state);
  };
  const withdrawn = (days: number) => ({ withdrawnAt: at(toMs + days * dayMs), withdrawnBy: 'auditor' });
  expect(await stateOf(attested(withdrawn(0)))).toEqual(['withdrawn']);
  expect(await stateOf(attested(withdrawn(1)))).toEqual(['in_force']);
  expect(await stateOf(attested({ validUntil: at(toMs) }))).toEqual(['expired']);
  expect(await stateOf(attested({ validUntil: at(toMs + 1) }))).toEqual(['in_force']);
  expect(await stateOf(attested({ attestedAt: at(toMs + 1) }))).toEqual(['not_yet_in_force']);
  expect(await stateOf(attested({ attestedAt: at(toMs - 5000 * dayMs) }))).toEqual(['expired']);
});

test('an attestation that is replaced by one dated ahead is in force until that begins', async () => {
  const tenantId = newTenantId();
  const beginMs = toMs - 5 * dayMs;
  await facts.ingest(tenantId, fromMs - 20 * dayMs, [attested({ verdict: 'partial' })]);
  await facts.ingest(tenantId, beginMs - dayMs, [attested({ attestedAt: at(beginMs) })]);
  const statesOf = async (given: { fromMs: number; toMs: number }) => {
    const { rows } = await readSection(facts, tenantId, 'attestation_history', given);
    return rows.map(({ verdict, state, replacedAt }) => [verdict, state, replacedAt]);
  };
  const replacedAt = at(beginMs - dayMs);
  expect(await statesOf({ fromMs, toMs: beginMs - 1 })).toEqual([
    ['partial', 'in_force', replacedAt],
    ['compliant', 'not_yet_in_force', null],
  ]);
  const later = [
    ['partial', 'replaced', replacedAt],
    ['compliant', 'in_force', null],
  ];
  expect(await statesOf({ fromMs, toMs: beginMs })).toEqual(later);
  expect(await statesOf({ fromMs: beginMs - 1, toMs })).toEqual(later);
  expect(await statesOf({ fromMs: beginMs, toMs })).toEqual(later.slice(1));
});

test('of several attestations of a requirement the latest one is in force, per subject', async () => {
  const tenantId = newTenantId();
  const record = (id: string, members: Record<string, unknown>) => ({ ...attested(members), id });
  const subject = { type: 'agent', id: 'sales' };
  await facts.ingest(tenantId, toMs, [
    record('older', { attestedAt: at(toMs - 90 * dayMs) }),
    record('newer', { attestedAt: at(toMs - 10 * dayMs), withdrawnAt: at(toMs - dayMs), withdrawnBy: 'x' }),
    record('of-an-agent', { subject, attestedAt: at(toMs - 80 * dayMs) }),
  ]);
  const states = (await readRows('attestation_history', tenantId)).map((row) => [row.attestationId, row.state]);
  expect(Object.fromEntries(states)).toEqual({ older: 'replaced', newer: 'withdrawn', 'of-an-agent': 'in_force' });
});

test('exceptions are listed with approval, subjects and the path of what they cover', async () => {
  const tenantId = newTenantId();
  const named = { subjectIds: ['room-1'], reason: 'kiosk of ada@contoso.example', approvedBy: 'Ewa Żak' };
  await facts.ingest(tenantId, fromMs, [
    input.exception('by-id', mfa, toMs - 5 * dayMs, named),
    input.exception('by-query', mfa, toMs - 40 * dayMs, { query: { subjectName: 'svc-*' } }),
    input.exception('later', mfa, toMs + dayMs, named),
    input.exception('unknown', 'no.such.requirement', toMs - dayMs, named),
  ]);
  await facts.ingest(tenantId, toMs, [
    input.exception('by-id', mfa, toMs - 5 * dayMs, { ...named, withdrawnAt: at(toMs), withdrawnBy: 'Jan Nowak' }),
  ]);
  const rows = await readRows('exceptions', tenantId);
  expect(rows.map((row) => [row.exceptionId, row.state])).toEqual([
    ['by-id', 'replaced'],
    ['by-query', 'expired'],
    ['later', 'not_yet_in_force'],
    ['by-id', 'withdrawn'],
    ['unknown', 'in_force'],
  ]);
  expect(rows[3]).toMatchObject({
    requirementKey: mfa,
    subjectIds: ['room-1'],
    query: null,
    reason: 'kiosk of [mail address removed]',
    approvedBy: 'Ewa Żak',
    withdrawnBy: 'Jan Nowak',
    findingsUrl: `/compliance/requirements/${mfa}/findings?state=excepted`,
  });
  expect(rows[1].query).toEqual({ subjectName: 'svc-*' });
  expect(rows[4].findingsUrl).toBeNull();
});

test('nothing that was recorded after the requested time is listed, and nothing of other tenants', async () => {
  const [tenantId, otherId] = [newTenantId(), newTenantId()];
  await facts.ingest(tenantId, toMs, [attested(), input.exception('e', mfa, fromMs, { subjectIds: ['a'] })]);
  for (const key of ['exceptions', 'attestation_history']) {
    const read = async (id: string, storedThroughMs: number) =>
      (await readSection(facts, id, key, { ...window, storedThroughMs })).rows.length;
    expect([await read(tenantId, toMs - 1), await read(tenantId, toMs), await read(otherId, toMs)]).toEqual([0, 1, 0]);
  }
});

test('joined pages are the whole section', async () => {
  const tenantId = newTenantId();
  for (let day = 0; day < 3; day++)
    await facts.ingest(tenantId, fromMs + day * dayMs, [
      attested({ justification: `state ${day}` }),
      ...['a', 'B', 'a_1'].map((id) => input.exception(id, mfa, fromMs, { subjectIds: [`${id}-${day}`] })),
    ]);
  for (const [key, count] of [
    ['attestation_history', 3],
    ['exceptions', 9],
  ] as const) {
    const whole = await readRows(key, tenantId);
    expect(whole).toHaveLength(count);
    for (const limit of [1, 2, 4]) expect(await readPages(facts, tenantId, key, window, limit)).toEqual(whole);
  }
});

test('statuses are those of the newest snapshot at or before the end, with the paths of their findings', async () => {
  const tenantId = newTenantId();
  const status = buildStatusDocument({ ...bareFacts, selections: [], baseline: null });
  const write = (atMs: number, document: object, before: string | null, own: string) =>
    superuser.query(
      `insert into models.compliance_snapshot
         (tenant_id, id, taken_at, trigger, late, taken_by, catalogue_version, previous_sha256, sha256, document)
       values ($1, $2, $3, 'manual', false, 'cli:maria', '2026.11', $4, $5, $6)`,
      [tenantId, randomUUID(), at(atMs), before, own, JSON.stringify(document)],
    );
  expect(await readRows('requirement_status', tenantId)).toEqual([]);
  const [first, second, third] = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [string, string, string];
  await write(toMs - dayMs, { status: 'another format' }, null, first);
  expect(await readRows('requirement_status', tenantId)).toEqual([]);
  await write(toMs, { status }, first, second);
  await write(toMs + 1, { status: { ...status, requirements: [] } }, second, third);
  const rows = await readRows('requirement_status', tenantId);
  const cited = requirementCatalogue.filter((one) => one.evidenceSections.length > 0).map(({ key }) => key);
  expect(rows.map(({ requirementKey }) => requirementKey)).toEqual(cited.toSorted());
  for (const row of rows) {
    const one = status.requirements.find(({ key }) => key === row.requirementKey);
    expect(row).toMatchObject({ status: one?.status, metrics: one?.metricsJson, snapshotTakenAt: at(toMs) });
    if (one?.findingsUrl == null) expect(row.findings).toBeNull();
    else expect(row.findings.failing).toBe(`${one.findingsUrl}?state=failing`);
  }
  expect(rows.some(({ findings }) => findings !== null)).toBe(true);
});

test('approvers, attesters and writers have pseudonyms in a pseudonymised pack, which verifies', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, fromMs, [
    input.user('u-ewa', { displayName: 'Ewa Żak', userPrincipalName: 'ewa.zak@contoso.example' }),
    attested({
      attestedBy: 'ewa.zak@contoso.example',
      justification: 'Ewa Żak checked it',
      withdrawnBy: 'Kim Unlisted',
    }),
    input.exception('e', mfa, fromMs, {
      subjectIds: ['u-ewa', 'u-left'],
      approvedBy: 'Kim Unlisted',
      reason: 'Żak Ewa asked',
    }),
    input.exception('f', 'dev.encrypted', fromMs, { subjectIds: ['kiosk-7'] }),
  ]);
  const pseudonymisation = { secret: Buffer.alloc(32, 7), recipientKey: null };
  const bytes = await writePackBytes(facts, tenantId, { ...window, pseudonymisation });
  expect(await verifyPack(bytes, null)).toMatchObject({ sound: true });
  for (const name of ['Ewa', 'Żak', 'ewa.zak', 'u-ewa', 'u-left', 'Unlisted'])
    expect(bytes.toString()).not.toContain(name);
  const pack = JSON.parse(bytes.toString()).data;
  const [attestation] = findSection(pack, 'attestation_history').rows;
  const [ofDevice, exception] = findSection(pack, 'exceptions').rows;
  expect(attestation.attestedBy).toMatch(/^person-[0-9a-z]{12}$/);
  expect(attestation.justification).toBe(`${attestation.attestedBy} checked it`);
  expect(exception.subjectIds).toEqual([attestation.attestedBy, expect.stringMatching(/^person-[0-9a-z]{12}$/)]);
  expect(ofDevice.subjectIds).toEqual(['kiosk-7']);
  expect(exception.approvedBy).toBe(attestation.withdrawnBy);
  // A process is no person.
  expect(attestation.recordedBy).not.toMatch(/^person-/);
  const named = await readPack(facts, tenantId, window);
  expect(findSection(named, 'exceptions').rows[1].approvedBy).toBe('Kim Unlisted');
});

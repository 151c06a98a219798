import { readStatusInSnapshot } from '@tenantscope/compliance';
import { withReadSnapshot } from '@tenantscope/store/connection';
import { expect, test } from 'vitest';
import { openTestPool } from '../services/pool.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

const requirement = 'ai.attest.literacy';

/** The state of a requirement as the API returns it. */
async function readState(line: CommandLine, tenantId: string, key: string) {
  const pool = openTestPool(String(line.environment.TENANTSCOPE_API_DATABASE_URL), { max: 1 });
  const nowMs = Date.now() + 1_000;
  const { requirements } = await withReadSnapshot(pool, tenantId, (client) =>
    readStatusInSnapshot(client, { tenantId, connectedAtMs: nowMs, nowMs }),
  );
  await pool.end();
  return requirements.find((one) => one.key === key);
}

test('an attestation sets the status of its requirement until the next attestation', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const attest = (...args: readonly string[]) =>
    line.json('attest', '--tenant', tenantId, '--requirement', requirement, ...args);
  expect(await readState(line, tenantId, requirement)).toMatchObject({ evaluation: 'manual' });

  const validUntil = new Date(Date.now() + 100 * 86_400_000).toISOString();
  const attested = await attest('--verdict', 'compliant', '--valid-until', validUntil, '--by', 'Mara Lindqvist');
  expect(attested).toMatchObject({
    tenantId,
    requirementKey: requirement,
    verdict: 'compliant',
    justification: null,
    attestedBy: 'Mara Lindqvist',
    validUntil,
  });
  expect(await readState(line, tenantId, requirement)).toMatchObject({ status: 'met', evaluation: 'attested' });
  // The attestation names who attests, the audit log who typed the command.
  const { data: events } = await line.json('audit', 'list', '--org', 'installation', '--limit', '1');
  expect(events).toMatchObject([
    {
      actor: expect.stringMatching(/^cli:./),
      action: 'created',
      subjectType: 'compliance_record',
      subjectId: `attestation/${requirement}`,
      after: { tenant_id: tenantId, statement: { attestedBy: 'Mara Lindqvist', verdict: 'compliant' } },
    },
  ]);

  expect((await attest('--verdict', 'partial', '--justification', 'half of us')).attestedBy).toMatch(/^cli:./);
  expect(await readState(line, tenantId, requirement)).toMatchObject({ status: 'at_risk', evaluation: 'attested' });

  await attest('--verdict', 'not_applicable', '--justification', 'nobody uses AI here');
  expect(await readState(line, tenantId, requirement)).toMatchObject({ evaluation: 'not_applicable' });
});

test('the list of attestations shows when each ends: without a stated time, and with one that is later than allowed', async () => {
  await using line = await createCommandLine();
  const tenant = ['--tenant', String((await line.json('tenant', 'create', '--name', 'Larkspur')).id)];
  for (const options of [[], ['--valid-until', '2099-01-01T00:00:00Z']]) {
    const attested = ['attest', ...tenant, '--requirement', requirement, '--verdict', 'compliant', ...options];
    const { validUntil } = await line.json(...attested);
    const { stdout } = await line.run('attest', 'list', ...tenant);
    expect(stdout.match(/20\d\d-\S+/g)?.[2]).toBe(validUntil);
  }
});

test('an attestation of a measured requirement is stored and changes no status', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const args = ['attest', '--tenant', tenantId, '--requirement', 'iam.mfa.admins', '--verdict', 'compliant'];
  const { status, stdout } = await line.run(...args);
  expect({ status, message: /is measured/.test(stdout) }).toEqual({ status: 0, message: true });
  expect(await readState(line, tenantId, 'iam.mfa.admins')).toMatchObject({
    evaluation: 'no_data',
    attestation: { verdict: 'compliant' },
  });
});

test('a stored state with a future version takes precedence', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const args = ['attest', '--tenant', tenantId, '--requirement', requirement, '--verdict'];
  await line.json(...args, 'compliant');
  const superuser = openTestPool(line.superuser, { max: 1 });
  await superuser.query('update models.compliance_record set version = version + 3600000000');
  await superuser.end();
  expect(await line.run(...args, 'non_compliant')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/newer than now/),
  });
  expect(await readState(line, tenantId, requirement)).toMatchObject({ status: 'met' });
});

test('an invalid attestation is rejected with the allowed values', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const of = (key: string) => ['attest', '--tenant', tenantId, '--requirement', key, '--verdict'];
  const cases: [status: number, message: RegExp, ...words: string[]][] = [
    [2, /no requirement ai\.atest\.literacy; .* ai\.attest\.literacy,/, ...of('ai.atest.literacy'), 'compliant'],
    [2, /no requirement literacy; .* ai\.attest\.literacy,/, ...of('literacy'), 'compliant'],
    [2, /--verdict must be one of compliant, partial,/, ...of(requirement), 'yes'],
    [2, /needs a --justification/, ...of(requirement), 'not_applicable'],
    [2, /needs a --justification/, ...of(requirement), 'not_applicable', '--justification', ' '],
    [2, /--valid-until must be a time/, ...of(requirement), 'compliant', '--valid-until', 'soon'],
    [2, /is in the past/, ...of(requirement), 'compliant', '--valid-until', '2020-01-01'],
    [2, /--evidence must begin with an address/, ...of(requirement), 'compliant', '--evidence', 'minutes 7'],
    [2, /justification/, ...of(requirement), 'partial', '--justification', 'x'.repeat(9_000)],
    [1, /no tenant/, 'attest', '--tenant', unknownId, '--requirement', requirement, '--verdict', 'partial'],
  ];
  for (const [status, message, ...args] of cases) {
    const ran = await line.run(...args);
    expect({ args, ...ran }).toMatchObject({ args, status, stdout: '', stderr: expect.stringMatching(message) });
  }
  expect(await readState(line, tenantId, requirement)).toMatchObject({ evaluation: 'manual' });
});

const unknownId = '3f2b8c1e-5d4a-4b6f-9c8d-7e6f5a4b3c2d';

const dayMs = 86_400_000;
const sha256 = 'ab'.repeat(32);

test('an attestation that is stated as valid for longer than its requirement allows is shortened', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const args = ['attest', '--tenant', tenantId, '--requirement', requirement, '--verdict', 'compliant'];
  const attested = await line.json(...args, '--valid-until', '2099-01-01T00:00:00Z');
  expect(attested.statedValidUntil).toBe('2099-01-01T00:00:00.000Z');
  expect(Date.parse(String(attested.validUntil)) - Date.parse(String(attested.attestedAt))).toBe(365 * dayMs);
  const { stdout } = await line.run(...args, '--valid-until', '2099-01-01T00:00:00Z');
  expect(stdout).toMatch(/2099-01-01T00:00:00\.000Z is later than attestations of ai\.attest\.literacy may be valid/);
  const state = await readState(line, tenantId, requirement);
  expect(state?.attestation).toMatchObject({ statedValidUntil: '2099-01-01T00:00:00.000Z' });
  expect(Date.parse(state?.attestation?.validUntil ?? '')).toBeLessThan(Date.now() + 366 * dayMs);
});

test('attestations have a history with evidence and with who recorded them, and a withdrawal is a state', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const of = ['--tenant', tenantId, '--requirement', requirement];
  await line.json('attest', ...of, '--verdict', 'compliant', '--by', 'Ines Novak');
  await line.json(
    ...['attest', ...of, '--verdict', 'partial', '--by', 'Mara Lindqvist'],
    ...['--evidence', `https://dms.example/minutes-7 ${sha256} Minutes of 7 May`, 'urn:ticket:8'],
  );
  const withdraw = ['attest', 'withdraw', ...of, '--reason', 'wrong tenant', '--by', 'Dee Ito'];
  expect(await line.json(...withdraw)).toMatchObject({
    requirementKey: requirement,
    verdict: 'partial',
    attestedBy: 'Mara Lindqvist',
    withdrawnBy: 'Dee Ito',
    withdrawalReason: 'wrong tenant',
  });
  const again = await line.run(...withdraw);
  expect(again).toMatchObject({ status: 1, stderr: expect.stringMatching(/was withdrawn on .* by Dee Ito/) });

  const { data: states } = await line.json('attest', 'show', ...of);
  const operator = expect.stringMatching(/^cli:./);
  const evidenceRefs = [
    { uri: 'https://dms.example/minutes-7', sha256, title: 'Minutes of 7 May' },
    { uri: 'urn:ticket:8', sha256: null, title: null },
  ];
  expect(states).toMatchObject([
    { isPresent: true, recordedBy: operator, payload: { verdict: 'partial', withdrawnBy: 'Dee Ito', evidenceRefs } },
    { isPresent: false, recordedBy: operator, payload: { verdict: 'partial', evidenceRefs } },
    { isPresent: false, recordedBy: operator, payload: { verdict: 'compliant', attestedBy: 'Ines Novak' } },
  ]);
  expect((await line.run('attest', 'list', '--tenant', tenantId)).stdout).toMatch(/withdrawn +partial +Mara Lindqvist/);

  const { data: events } = await line.json('audit', 'list', '--org', 'installation', '--limit', '1');
  expect(events).toMatchObject([
    {
      actor: operator,
      action: 'changed',
      after: { statement: { withdrawnBy: 'Dee Ito', attestedBy: 'Mara Lindqvist' } },
    },
  ]);

  // The compliant attestation before it does not return.
  expect(await readState(line, tenantId, requirement)).toMatchObject({
    status: 'not_evaluated',
    evaluation: 'manual',
    reason: 'attestation_withdrawn',
    attestation: {
      attestedBy: 'Mara Lindqvist',
      recordedBy: operator,
      withdrawnBy: 'Dee Ito',
      withdrawalReason: 'wrong tenant',
      evidenceRefs,
      history: [
        { verdict: 'partial', withdrawnAt: null, recordedBy: operator },
        { verdict: 'compliant', attestedBy: 'Ines Novak', withdrawnAt: null },
      ],
    },
  });
  await line.json('attest', ...of, '--verdict', 'compliant');
  const attestedAgain = await readState(line, tenantId, requirement);
  expect(attestedAgain).toMatchObject({ status: 'met', attestation: { withdrawnAt: null } });
  expect(attestedAgain?.attestation?.history).toHaveLength(3);
});

/** The next state of the only record, as a producer may write it. */
async function replaceState(line: CommandLine, members: Record<string, string>): Promise<void> {
  const superuser = openTestPool(line.superuser, { max: 1 });
  await superuser.query(
    `update models.compliance_record
        set version = version + 1, digest = sha256(digest),
            document = jsonb_set(document::jsonb, '{payload}', document::jsonb -> 'payload' || $1::jsonb)::text`,
    [JSON.stringify(members)],
  );
  await superuser.end();
}

test('an attestation that is replaced by one dated ahead is listed, and can be withdrawn', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const of = ['--tenant', tenantId, '--requirement', requirement];
  await line.json('attest', ...of, '--verdict', 'compliant', '--by', 'Ines Novak');
  await replaceState(line, { attestedAt: new Date(Date.now() + dayMs).toISOString(), attestedBy: 'Mara Lindqvist' });
  const { stdout } = await line.run('attest', 'list', '--tenant', tenantId);
  expect(stdout).toMatch(/compliant +compliant +Ines Novak/);
  expect(stdout).toMatch(/not yet in force +compliant +Mara Lindqvist/);
  expect(await readState(line, tenantId, requirement)).toMatchObject({
    status: 'met',
    attestation: { attestedBy: 'Ines Novak' },
  });

  expect(await line.json('attest', 'withdraw', ...of, '--reason', 'wrong tenant')).toMatchObject({
    attestedBy: 'Ines Novak',
  });
  expect(await readState(line, tenantId, requirement)).toMatchObject({ reason: 'attestation_withdrawn' });
});

test('an attestation whose withdrawal is planned can be withdrawn at once', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const of = ['--tenant', tenantId, '--requirement', requirement];
  await line.json('attest', ...of, '--verdict', 'compliant');
  await replaceState(line, { withdrawnAt: new Date(Date.now() + dayMs).toISOString(), withdrawnBy: 'Ines Novak' });
  expect(await readState(line, tenantId, requirement)).toMatchObject({ status: 'at_risk' });
  await line.json('attest', 'withdraw', ...of, '--reason', 'wrong tenant', '--by', 'Dee Ito');
  expect(await readState(line, tenantId, requirement)).toMatchObject({
    reason: 'attestation_withdrawn',
    attestation: { withdrawnBy: 'Dee Ito' },
  });
});

test('a withdrawal without an attestation or a reason is rejected', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const withdraw = ['attest', 'withdraw', '--tenant', tenantId, '--requirement'];
  const cases: [status: number, message: RegExp, ...words: string[]][] = [
    [1, /has no attestation to withdraw/, requirement, '--reason', 'wrong'],
    [1, /has no attestation with the id other to withdraw/, requirement, '--reason', 'wrong', '--id', 'other'],
    [2, /--reason is empty/, requirement, '--reason', ' '],
    [2, /no requirement ai\.atest/, 'ai.atest', '--reason', 'wrong'],
  ];
  for (const [status, message, ...args] of cases) {
    const ran = await line.run(...withdraw, ...args);
    expect({ args, ...ran }).toMatchObject({ args, status, stdout: '', stderr: expect.stringMatching(message) });
  }
  expect((await line.run('attest', 'list', '--tenant', tenantId)).stdout).toBe('No attestations.\n');
});

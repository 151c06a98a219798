import { readStatusInSnapshot } from '@tenantscope/compliance';
import { openPool, withReadSnapshot } from '@tenantscope/store/connection';
import { expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from './command-line.ts';

const requirement = 'ai.attest.literacy';

/** The state of a requirement as the API returns it. */
async function readState(line: CommandLine, tenantId: string, key: string) {
  const pool = openPool(String(line.environment.TENANTSCOPE_API_DATABASE_URL), { name: 'status', maxConnections: 1 });
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
  const superuser = openPool(line.superuser, { name: 'ahead', maxConnections: 1 });
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
    [2, /is later than .* valid for at most \d+ days/, ...of(requirement), 'compliant', '--valid-until', '2090-01-01'],
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

import { statusBehind } from '@tenantscope/compliance';
import { atOneMoment, openPool } from '@tenantscope/store';
import { expect, test } from 'vitest';
import { type CommandLine, commandLine } from './command-line.ts';

const requirement = 'ai.attest.literacy';

/** How a requirement stands for whoever asks the API. */
async function standing(line: CommandLine, tenantId: string, key: string) {
  const pool = openPool(String(line.environment.TENANTSCOPE_API_DATABASE_URL), { name: 'status', maxConnections: 1 });
  const nowMs = Date.now() + 1_000;
  const { requirements } = await atOneMoment(pool, tenantId, (client) =>
    statusBehind(client, { tenantId, connectedAtMs: nowMs, nowMs }),
  );
  await pool.end();
  return requirements.find((one) => one.key === key);
}

test('what is attested decides how the requirement stands, until something else is attested', async () => {
  await using line = await commandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const attest = (...words: readonly string[]) =>
    line.json('attest', '--tenant', tenantId, '--requirement', requirement, ...words);
  expect(await standing(line, tenantId, requirement)).toMatchObject({ evaluation: 'manual' });

  const said = await attest('--verdict', 'compliant', '--valid-until', '2090-01-01', '--by', 'Mara Lindqvist');
  expect(said).toMatchObject({
    tenantId,
    requirementKey: requirement,
    verdict: 'compliant',
    justification: null,
    attestedBy: 'Mara Lindqvist',
    validUntil: '2090-01-01T00:00:00.000Z',
  });
  expect(await standing(line, tenantId, requirement)).toMatchObject({ status: 'met', evaluation: 'attested' });

  expect((await attest('--verdict', 'partial', '--justification', 'half of us')).attestedBy).toMatch(/^cli:./);
  expect(await standing(line, tenantId, requirement)).toMatchObject({ status: 'at_risk', evaluation: 'attested' });

  await attest('--verdict', 'not_applicable', '--justification', 'nobody uses AI here');
  expect(await standing(line, tenantId, requirement)).toMatchObject({ evaluation: 'not_applicable' });
});

test('an attestation of what is measured is shown and changes nothing', async () => {
  await using line = await commandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const words = ['attest', '--tenant', tenantId, '--requirement', 'iam.mfa.admins', '--verdict', 'compliant'];
  const { status, stdout } = await line.run(...words);
  expect({ status, says: /is measured/.test(stdout) }).toEqual({ status: 0, says: true });
  expect(await standing(line, tenantId, 'iam.mfa.admins')).toMatchObject({
    evaluation: 'no_data',
    attestation: { verdict: 'compliant' },
  });
});

test('a state that is newer than now stands', async () => {
  await using line = await commandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const words = ['attest', '--tenant', tenantId, '--requirement', requirement, '--verdict'];
  await line.json(...words, 'compliant');
  const superuser = openPool(line.superuser, { name: 'ahead', maxConnections: 1 });
  await superuser.query('update models.compliance_record set version = version + 3600000000');
  await superuser.end();
  expect(await line.run(...words, 'non_compliant')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/newer than now/),
  });
  expect(await standing(line, tenantId, requirement)).toMatchObject({ status: 'met' });
});

test('what is attested wrongly is refused with what would be right', async () => {
  await using line = await commandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const of = (key: string) => ['attest', '--tenant', tenantId, '--requirement', key, '--verdict'];
  const cases: [status: number, says: RegExp, ...words: string[]][] = [
    [2, /no requirement ai\.atest\.literacy; .* ai\.attest\.literacy,/, ...of('ai.atest.literacy'), 'compliant'],
    [2, /no requirement literacy; .* ai\.attest\.literacy,/, ...of('literacy'), 'compliant'],
    [2, /--verdict must be one of compliant, partial,/, ...of(requirement), 'yes'],
    [2, /needs a --justification/, ...of(requirement), 'not_applicable'],
    [2, /needs a --justification/, ...of(requirement), 'not_applicable', '--justification', ' '],
    [2, /--valid-until must be a time/, ...of(requirement), 'compliant', '--valid-until', 'soon'],
    [2, /is past/, ...of(requirement), 'compliant', '--valid-until', '2020-01-01'],
    [2, /justification/, ...of(requirement), 'partial', '--justification', 'x'.repeat(9_000)],
    [1, /no tenant/, 'attest', '--tenant', nobody, '--requirement', requirement, '--verdict', 'partial'],
  ];
  for (const [status, says, ...words] of cases) {
    const ran = await line.run(...words);
    expect({ words, ...ran }).toMatchObject({ words, status, stdout: '', stderr: expect.stringMatching(says) });
  }
  expect(await standing(line, tenantId, requirement)).toMatchObject({ evaluation: 'manual' });
});

const nobody = '3f2b8c1e-5d4a-4b6f-9c8d-7e6f5a4b3c2d';

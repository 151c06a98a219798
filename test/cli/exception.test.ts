import { expect, test } from 'vitest';
import { createCommandLine } from './command-line.ts';

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const requirement = 'iam.mfa.members';

test('an exception is added, listed and withdrawn with who approved and who recorded it', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const of = ['--tenant', tenantId];
  const validUntil = inDays(30);
  const added = await line.json(
    ...['exception', 'add', ...of, '--requirement', requirement, '--subject', 'u1', 'u2', 'u1'],
    ...['--reason', 'meeting rooms', '--approved-by', 'Mara Lindqvist', '--valid-until', validUntil],
    ...['--evidence', 'urn:ticket:8'],
  );
  expect(added).toMatchObject({
    ...{ tenantId, requirementKey: requirement, subjectIds: ['u1', 'u2'], query: null, reason: 'meeting rooms' },
    ...{ approvedBy: 'Mara Lindqvist', validUntil, evidenceRefs: [{ uri: 'urn:ticket:8' }] },
  });
  const id = String(added.id);
  const queried = await line.json(
    ...[
      'exception',
      'add',
      ...of,
      '--requirement',
      'dev.encrypted',
      '--subject-name',
      'kiosk-*',
      '--reason',
      'no disks',
    ],
    ...['--approved-by', 'Ines Novak', '--valid-until', inDays(300), '--valid-from', inDays(1)],
  );
  expect(queried).toMatchObject({ subjectIds: null, query: { subjectName: 'kiosk-*' } });
  const listed = (await line.run('exception', 'list', ...of)).stdout;
  expect(listed).toMatch(/iam\.mfa\.members +in force +2 by id +Mara Lindqvist/);
  expect(listed).toMatch(/dev\.encrypted +not yet in force +query .*kiosk-\*.* +Ines Novak/);
  const { data: ofOne } = await line.json('exception', 'list', ...of, '--requirement', requirement);
  expect(ofOne).toHaveLength(1);

  const withdraw = ['exception', 'withdraw', id, ...of, '--reason', 'rooms have locks', '--by', 'Dee Ito'];
  expect(await line.json(...withdraw)).toMatchObject({ id, withdrawnBy: 'Dee Ito', approvedBy: 'Mara Lindqvist' });
  expect(await line.run(...withdraw)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/was withdrawn on .* by Dee Ito/),
  });
  const recordedBy = expect.stringMatching(/^cli:./);
  const { data: states } = await line.json('exception', 'show', id, ...of);
  expect(states).toMatchObject([
    { isPresent: true, recordedBy, payload: { withdrawnBy: 'Dee Ito', subjectIds: ['u1', 'u2'] } },
    { isPresent: false, recordedBy, payload: { approvedBy: 'Mara Lindqvist' } },
  ]);
  expect((await line.run('exception', 'list', ...of)).stdout).toMatch(/withdrawn +2 by id/);
  const { data: events } = await line.json('audit', 'list', '--org', 'installation', '--limit', '1');
  expect(events).toMatchObject([
    {
      ...{ actor: recordedBy, action: 'changed', subjectType: 'compliance_record', subjectId: `exception/${id}` },
      before: { requirement_key: requirement },
      after: { statement: { withdrawnBy: 'Dee Ito', approvedBy: 'Mara Lindqvist', validUntil } },
    },
  ]);
});

test('an invalid exception is rejected with what is wrong', { timeout: 120_000 }, async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const of = ['--tenant', tenantId];
  const add = (more: Record<string, string | null>) => {
    const options: Record<string, string | null> = {
      ...{ '--requirement': requirement, '--subject': 'u1', '--reason': 'rooms', '--approved-by': 'Mara' },
      ...{ '--valid-until': inDays(30), ...more },
    };
    return [
      'exception',
      'add',
      ...of,
      ...Object.entries(options).flatMap(([name, value]) => (value === null ? [] : [name, value])),
    ];
  };
  const cases: [status: number, message: RegExp, args: string[]][] = [
    [2, /no requirement iam\.mfa\.member/, add({ '--requirement': 'iam.mfa.member' })],
    [2, /has no subjects/, add({ '--requirement': 'ai.attest.literacy' })],
    [2, /has no subjects/, add({ '--requirement': 'iam.admins.global_count' })],
    [2, /either --subject, or/, add({ '--subject': null })],
    [2, /either --subject, or/, add({ '--subject-name': 'room*' })],
    [2, /member query/, add({ '--subject': null, '--subject-name': '*' })],
    [2, /member query/, add({ '--subject': null, '--subject-type': 'user' })],
    [2, /--detail must be/, add({ '--subject': null, '--detail': 'accountId' })],
    [2, /member reason/, add({ '--reason': ' ' })],
    [2, /member approvedBy/, add({ '--approved-by': ' ' })],
    [2, /--valid-until must be a time/, add({ '--valid-until': 'soon' })],
    [2, /is in the past/, add({ '--valid-until': '2020-01-01' })],
    [2, /at most a year after validFrom/, add({ '--valid-until': inDays(367) })],
    [2, /--evidence must begin with an address/, add({ '--evidence': 'minutes 7' })],
    [1, /has no exception with the id other/, ['exception', 'withdraw', 'other', ...of, '--reason', 'wrong']],
    [1, /has no exception with the id other/, ['exception', 'show', 'other', ...of]],
    [2, /--reason is empty/, ['exception', 'withdraw', 'other', ...of, '--reason', ' ']],
  ];
  for (const [status, message, args] of cases) {
    const ran = await line.run(...args);
    expect({ args, ...ran }).toMatchObject({ args, status, stdout: '', stderr: expect.stringMatching(message) });
  }
  expect((await line.run('exception', 'list', ...of)).stdout).toBe('No exceptions.\n');
});

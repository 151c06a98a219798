import { expect, test } from 'vitest';
import { createCommandLine } from './command-line.ts';

const incident = 'det_2738af7b30ca449cb949';

test('a statement of awareness names who states it, and the audit log who typed it', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const aware = (...args: readonly string[]) => line.json('incident', 'aware', incident, '--tenant', tenantId, ...args);
  const first = await aware('--at', '2026-11-20T08:00:00Z', '--by', 'Mara Lindqvist');
  expect(first).toEqual({
    tenantId,
    incidentId: incident,
    awareAt: '2026-11-20T08:00:00.000Z',
    statedBy: 'Mara Lindqvist',
  });
  expect((await aware('--at', '2026-11-19T08:00:00Z')).statedBy).toMatch(/^cli:./);
  const { data: events } = await line.json('audit', 'list', '--org', 'installation', '--limit', '2');
  expect(events).toMatchObject([
    {
      actor: expect.stringMatching(/^cli:./),
      action: 'changed',
      subjectType: 'compliance_record',
      subjectId: `awareness/${incident}`,
      before: { statement: { awareAt: '2026-11-20T08:00:00.000Z', statedBy: 'Mara Lindqvist' } },
      after: { tenant_id: tenantId, statement: { awareAt: '2026-11-19T08:00:00.000Z' } },
    },
    { action: 'created', subjectId: `awareness/${incident}` },
  ]);
});

test('an invalid statement of awareness is rejected', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  const cases: [message: RegExp, ...args: string[]][] = [
    [/--at must be a time/, incident, '--at', 'yesterday'],
    [/is in the future/, incident, '--at', '2090-01-01'],
    [/id of the incident is empty/, ' ', '--at', '2026-11-20'],
    [/id/, 'a/b', '--at', '2026-11-20'],
    [/statedBy/, incident, '--at', '2026-11-20', '--by', 'x'.repeat(9_000)],
  ];
  for (const [message, ...args] of cases) {
    const ran = await line.run('incident', 'aware', ...args, '--tenant', tenantId);
    expect({ args, ...ran }).toMatchObject({ args, status: 2, stdout: '', stderr: expect.stringMatching(message) });
  }
});

import { expect, test } from 'vitest';
import { openTestPool } from '../services/pool.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

const incident = 'det_2738af7b30ca449cb949';

/** A detection and an alert with these ids. */
async function addIncidents(line: CommandLine, tenantId: string, detectionId: string, alertId: string): Promise<void> {
  const superuser = openTestPool(line.superuser, { max: 1 });
  await superuser.query(
    `insert into models.detection (tenant_id, id, version, digest, updated_at, opened_at, status, severity, kind, detector_id, document)
     values ($1, $2, 1, '\\x00', now(), now(), 'open', 'high', 'volume', 'd', '{}')`,
    [tenantId, detectionId],
  );
  await superuser.query(
    `insert into models.security_alert (tenant_id, id, version, digest, updated_at, created_at, document, detail)
     values ($1, $2, 1, '\\x00', now(), now(), '{}', '{}')`,
    [tenantId, alertId],
  );
  await superuser.end();
}

test('a statement of awareness names who states it, and the audit log who typed it', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'Larkspur')).id);
  await addIncidents(line, tenantId, incident, 'alert-7');
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

test('a statement of awareness is of a detection or an alert of the tenant', async () => {
  await using line = await createCommandLine();
  const [tenantId, otherId] = [
    String((await line.json('tenant', 'create', '--name', 'Larkspur')).id),
    String((await line.json('tenant', 'create', '--name', 'Meridian')).id),
  ];
  await addIncidents(line, tenantId, incident, 'alert-7');
  const aware = (id: string, of: string) =>
    line.run('incident', 'aware', id, '--tenant', of, '--at', '2026-11-20T08:00:00Z');
  expect((await aware('alert-7', tenantId)).status).toBe(0);
  for (const [id, of] of [
    ['det_2738af7b30ca449cb94', tenantId],
    [incident, otherId],
  ] as const)
    expect(await aware(id, of)).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(`no detection or security alert with the id ${id}`),
    });
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

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createCommandLine } from './command-line.ts';

const frozen = Date.UTC(2100, 0, 1) * 1_000;
const frozenMs = Date.UTC(2100, 0, 1);

test('a version far ahead of the clock is shown, then set back and audited, in every table of records', async () => {
  await using line = await createCommandLine();
  const { id: organization } = await line.json('org', 'create', '--name', 'Ours');
  const tenantId = String((await line.json('tenant', 'create', '--name', 'One', '--org', String(organization))).id);
  const superuser = new pg.Client(line.superuser);
  await superuser.connect();
  try {
    const storedAt = new Date(Date.now() - 3_600_000);
    await superuser.query(
      `insert into models.compliance_record (tenant_id, id, version, digest, updated_at, changed_at, kind, record_id, document)
       values ($1, 'attestation/a', $2, sha256('x'), $3, $3, 'attestation', 'a', '{"payload":{}}')`,
      [tenantId, frozen, storedAt],
    );
    await superuser.query(
      `insert into models.entity_part (tenant_id, kind, id, part, is_removal, version, digest, changed_at, facts, aliases)
       select $1, 'user', 'ada', p.part, p.is_removal, p.version, sha256('x'), $2, '{}', '[]'
         from (values ('domain', false, $3::bigint), ('domain', true, $3 + 1), ('graph.user', false, $4), ('graph.riskyUser', false, 1700000000000)) p (part, is_removal, version)`,
      [tenantId, storedAt, frozen, frozenMs],
    );
    const versions = async () => {
      const { rows } = await superuser.query<{ name: string; version: string }>(
        `select id as name, version from models.compliance_record union all
         select part || case when is_removal then ' removed' else '' end, version from models.entity_part order by 1`,
      );
      return Object.fromEntries(rows.map(({ name, version }) => [name, Number(version)]));
    };
    const before = await versions();
    const storedUs = storedAt.getTime() * 1_000;

    const compliance = ['version', 'reset', 'compliance', 'attestation/a', '--tenant', tenantId];
    const entity = ['version', 'reset', 'user', 'ada', '--tenant', tenantId];
    expect(await line.json(...compliance)).toMatchObject({
      resource: 'compliance',
      id: 'attestation/a',
      tenantId,
      versions: [{ part: null, before: frozen, after: storedUs }],
      reset: false,
    });
    const shown = await line.run(...entity);
    expect(shown).toMatchObject({ status: 0, stdout: expect.stringMatching(/user\/ada[\s\S]*Nothing was changed/) });
    expect(await versions()).toEqual(before);

    expect(await line.json(...compliance, '--yes')).toMatchObject({ reset: true });
    expect(await line.json(...entity, '--yes')).toMatchObject({
      versions: [
        { part: 'domain', isRemoval: true, before: frozen + 1, after: storedUs },
        { part: 'domain', isRemoval: false, before: frozen, after: storedUs - 1 },
        { part: 'graph.user', isRemoval: false, before: frozenMs, after: storedAt.getTime() },
      ],
    });
    expect(await versions()).toEqual({
      'attestation/a': storedUs,
      'domain removed': storedUs,
      domain: storedUs - 1,
      'graph.user': storedAt.getTime(),
      'graph.riskyUser': 1_700_000_000_000,
    });
    const { data } = (await line.json('audit', 'list', '--limit', '4')) as { data: Record<string, unknown>[] };
    expect(data.map(({ action, subjectType, subjectId }) => [action, subjectType, subjectId])).toEqual([
      ...Array(3).fill(['changed', 'entity_part', 'user/ada']),
      ['changed', 'compliance_record', 'attestation/a'],
    ]);
    expect((await line.json('audit', 'verify')).isWhole).toBe(true);
    for (const args of [compliance, entity])
      expect((await line.run(...args)).stderr).toMatch(/no version more than a day ahead/);
  } finally {
    await superuser.end();
  }
});

test('a version of an alert that has parts is set back in the alert and in its part', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'One')).id);
  const superuser = new pg.Client(line.superuser);
  await superuser.connect();
  try {
    const storedAt = new Date(Date.now() - 3_600_000);
    await superuser.query(
      `insert into models.security_alert (tenant_id, id, version, digest, updated_at, created_at, document, detail)
       values ($1, 'da1', $2::bigint + 1, sha256('x'), $3, $3, '{}', '{}')`,
      [tenantId, frozen, storedAt],
    );
    await superuser.query(
      `insert into models.security_alert_part (tenant_id, id, part, version, digest, state)
       select $1, 'da1', p.part, p.version, sha256('x'), '{}' from (values ('alert', $2::bigint), ('00ff', 7)) p (part, version)`,
      [tenantId, frozen],
    );
    expect(await line.json('version', 'reset', 'security-alert', 'da1', '--tenant', tenantId, '--yes')).toMatchObject({
      versions: [{ part: null, before: frozen + 1, after: storedAt.getTime() * 1_000 }],
    });
    const { rows } = await superuser.query<{ name: string; version: string }>(
      `select id as name, version from models.security_alert union all select part, version from models.security_alert_part order by 1`,
    );
    expect(rows).toEqual([
      { name: '00ff', version: '7' },
      { name: 'alert', version: String(storedAt.getTime() * 1_000) },
      { name: 'da1', version: String(storedAt.getTime() * 1_000) },
    ]);
  } finally {
    await superuser.end();
  }
});

test('an exception whose version was set back can be withdrawn', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'One')).id);
  const superuser = new pg.Client(line.superuser);
  await superuser.connect();
  try {
    const payload = {
      ...{ requirementKey: 'iam.mfa.members', subjectIds: ['lobby'], reason: 'no phone', approvedBy: 'Ada' },
      validFrom: new Date(Date.now() - 3_600_000).toISOString(),
      validUntil: new Date(Date.now() + 86_400_000).toISOString(),
    };
    for (const version of [frozen, frozen + 1])
      await superuser.query(
        `insert into models.compliance_record as r (tenant_id, id, version, digest, updated_at, changed_at, kind, record_id, requirement_key, document)
         values ($1, 'exception/lobby', $2, sha256('x'), $3, $3, 'exception', 'lobby', 'iam.mfa.members', $4)
         on conflict (tenant_id, id) do update set version = excluded.version`,
        [tenantId, version, new Date(Date.now() - 3_600_000), JSON.stringify({ payload })],
      );
    await line.json('version', 'reset', 'compliance', 'exception/lobby', '--tenant', tenantId, '--yes');
    // After a restore of a backup from before, the ledger removes them as well.
    const { rows: removed } = await superuser.query<{ version: string }>(
      `select state ->> 'version' as version from models.ledger_entry where subject = 'statement_history' and is_removal`,
    );
    expect(removed.map(({ version }) => Number(version)).toSorted()).toEqual([frozen, frozen + 1]);
    await line.json('exception', 'withdraw', 'lobby', '--tenant', tenantId, '--reason', 'has one', '--by', 'Ada');
    const { data } = await line.json('exception', 'list', '--tenant', tenantId);
    expect(data).toMatchObject([{ recordId: 'lobby', payload: { withdrawnBy: 'Ada' } }]);
    const { data: states } = (await line.json('exception', 'show', 'lobby', '--tenant', tenantId)) as {
      data: object[];
    };
    expect(states).toHaveLength(4);
  } finally {
    await superuser.end();
  }
});

test('an invalid reset is refused, and the error names the reason', async () => {
  await using line = await createCommandLine();
  const tenantId = String((await line.json('tenant', 'create', '--name', 'One')).id);
  for (const [message, ...args] of [
    [/the resource must be one of organization, tenant, detection/, 'robot', 'x'],
    [/--tenant is required/, 'detection', 'x'],
    [/--to must be a whole number/, 'detection', 'x', '--tenant', tenantId, '--to', '0'],
    [/no version more than a day ahead/, 'detection', 'x', '--tenant', tenantId],
    [/no version more than a day ahead/, 'organization', randomUUID()],
  ] as const) {
    const { status, stderr } = await line.run('version', 'reset', ...(args as string[]));
    expect(stderr).toMatch(message as RegExp);
    expect(status).toBeGreaterThan(0);
  }
});
